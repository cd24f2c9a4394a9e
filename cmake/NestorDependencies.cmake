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
if(EXISTS "${PROJECT_SOURCE_DIR}/src/records")
    nestor_require(SQLite3 SQLite::SQLite3 libsqlite3-dev)
endif()

# What the third column of src/layers.txt means.
set(NESTOR_OUTSIDE_fmt fmt::fmt-header-only)
set(NESTOR_OUTSIDE_json nlohmann_json::nlohmann_json)
set(NESTOR_OUTSIDE_cli11 CLI11::CLI11)
set(NESTOR_OUTSIDE_halide Halide::Halide)
set(NESTOR_OUTSIDE_sqlite SQLite::SQLite3)
