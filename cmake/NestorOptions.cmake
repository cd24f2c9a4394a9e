# How everything of Nestor is compiled: the standard, warnings, visibility, sanitizers, ccache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# Several sources of a library in one unit: what they share is compiled once, which halves the time of
# a whole build. Whoever edits one source again and again is faster without.
option(NESTOR_UNITY "Compile several sources at once" ON)
if(NESTOR_UNITY)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
endif()

# Precompiled headers and ccache go together only with these two allowances. The base folder makes two
# build trees share what they compile without a precompiled header: that one is another file in each tree.
find_program(NESTOR_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND NESTOR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros"
        "CCACHE_BASEDIR=${PROJECT_BINARY_DIR}" "${NESTOR_CCACHE}"
    )
endif()

# Linked PRIVATE by every target of ours, never by anything that we only use.
add_library(nestor_options INTERFACE)
target_compile_options(nestor_options INTERFACE -Wall -Wextra $<$<BOOL:${NESTOR_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ccache needs it to see through a precompiled header.
    target_compile_options(nestor_options INTERFACE -fpch-preprocess)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # Wrong about operator+(const char*, std::string&&): GCC bug 105651.
        target_compile_options(nestor_options INTERFACE -Wno-restrict)
        # The same mistake under another name; only this file meets it.
        set_source_files_properties(
            "${PROJECT_SOURCE_DIR}/src/halide/equivalence.cpp" PROPERTIES COMPILE_OPTIONS "-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread"
        )
    endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # With libstdc++ 12 it reports std::stable_sort's own use of get_temporary_buffer, at our call.
    # g++ reports what we call ourselves.
    target_compile_options(nestor_options INTERFACE -Wno-deprecated-declarations)
endif()

if(NESTOR_SANITIZE)
    add_compile_options(
        -fsanitize=${NESTOR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    )
    add_link_options(-fsanitize=${NESTOR_SANITIZE})
endif()

# For what takes its time in libraries, as tests and generators do: it compiles in 0.6 to 0.9 of the time.
function(nestor_compile_lightly target)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>")
endfunction()
