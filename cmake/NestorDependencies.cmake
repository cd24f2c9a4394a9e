# The libraries that Nestor is built with. Each is found once, here, or refused with what to do.

include(NestorHalide)

# nestor_require(<package> <target> <Debian package> [more arguments of find_package])
macro(nestor_require package target debian_package)
    find_package(${package} QUIET ${ARGN})
    if(NOT TARGET ${target})
        message(
            FATAL_ERROR
            "Nestor needs ${package}, and it is not installed. Run\n  scripts/setup\n"
            "or install the Debian package ${debian_package}."
        )
    endif()
endmacro()

find_package(Threads REQUIRED)
nestor_require(fmt fmt::fmt-header-only libfmt-dev)
nestor_require(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev)
nestor_require(CLI11 CLI11::CLI11 libcli11-dev)
nestor_require(SQLite3 SQLite::SQLite3 libsqlite3-dev)
nestor_require(yaml-cpp yaml-cpp libyaml-cpp-dev)
nestor_require(SQLiteCpp SQLiteCpp libsqlitecpp-dev)
nestor_require(Eigen3 Eigen3::Eigen libeigen3-dev NO_MODULE)

# Debian's CMake package of XGBoost refuses to work without the program `xgboost`, which we don't use.
find_library(NESTOR_XGBOOST xgboost)
find_path(NESTOR_XGBOOST_HEADERS xgboost/c_api.h)
if(NOT NESTOR_XGBOOST OR NOT NESTOR_XGBOOST_HEADERS)
    message(FATAL_ERROR "Nestor needs XGBoost, and it is not installed. Run\n  scripts/setup\n"
                        "or install the Debian package libxgboost-dev."
    )
endif()
add_library(nestor_xgboost UNKNOWN IMPORTED)
set_target_properties(
    nestor_xgboost PROPERTIES IMPORTED_LOCATION "${NESTOR_XGBOOST}"
                              INTERFACE_INCLUDE_DIRECTORIES "${NESTOR_XGBOOST_HEADERS}"
)

# The charts of `nestor report`.
find_file(NESTOR_CHART_JS chart.min.js PATHS /usr/share/javascript PATH_SUFFIXES chart.js)
set(chart_head "")
if(NESTOR_CHART_JS)
    file(READ "${NESTOR_CHART_JS}" chart_head LIMIT 200)
endif()
if(NOT chart_head MATCHES "Chart\\.js v3\\.")
    message(FATAL_ERROR "Nestor needs Chart.js 3, and it is not installed. Run\n  scripts/setup\n"
                        "or install the Debian package libjs-chart.js, or name its file by\n"
                        "  -DNESTOR_CHART_JS=.../chart.min.js"
    )
endif()

# What the third column of src/layers.txt means.
set(NESTOR_OUTSIDE_fmt fmt::fmt-header-only)
set(NESTOR_OUTSIDE_json nlohmann_json::nlohmann_json)
set(NESTOR_OUTSIDE_cli11 CLI11::CLI11)
set(NESTOR_OUTSIDE_halide Halide::Halide)
set(NESTOR_OUTSIDE_sqlite SQLiteCpp)
set(NESTOR_OUTSIDE_yaml yaml-cpp)
set(NESTOR_OUTSIDE_xgboost nestor_xgboost)
set(NESTOR_OUTSIDE_eigen Eigen3::Eigen)
