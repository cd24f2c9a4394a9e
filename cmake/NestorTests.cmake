# Tests mirror the source tree: tests/<folder>/*_test.cpp become one executable test_<folder>.
#
#   nestor_add_test_suite(<folder>
#       [SOURCES <file>...]     default: every .cpp of the folder
#       [USES <folder>...]      layers to link; default: the layer of the same name
#       [LINKS <target>...]     other targets to link
#       [HALIDE]                precompile Halide.h (default where the linked layers see Halide)
#       [SHARDS <n>]            ctest entries to cut it into; they run beside each other under ctest -j
#       [ALONE]                 it measures time: nothing runs beside it
#       [SEPARATE]              its sources have helpers of equal names: never several in one unit
#       [TIMEOUT <seconds>]     for one entry; default 900
#       [ENVIRONMENT <k=v>...]  for each entry
#       [DEFINES <def>...])     compile definitions
#
# Call it from tests/<folder>/CMakeLists.txt; a folder without one gets the defaults. Each entry has
# the folder as its label and writes <build>/test-results/<folder>/<entry>.xml, which ./check counts.

if(NOT TARGET GTest::gtest_main)
    nestor_require(GTest GTest::gtest_main "libgtest-dev and libgmock-dev")
endif()

# What the user's probe found must not matter.
set(NESTOR_TEST_ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/empty-cache")
if(NESTOR_SANITIZE MATCHES "address")
    # libHalide is not instrumented: what its containers hold and what it keeps until exit is not ours.
    list(APPEND NESTOR_TEST_ENVIRONMENT
         "ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:abort_on_error=0"
         "UBSAN_OPTIONS=print_stacktrace=1"
    )
elseif(NESTOR_SANITIZE MATCHES "thread")
    list(APPEND NESTOR_TEST_ENVIRONMENT
         "TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1"
    )
endif()

# Whether linking `target` gives Halide's headers.
function(nestor_sees_halide target out)
    set(${out} FALSE PARENT_SCOPE)
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    foreach(link IN LISTS links)
        if(link STREQUAL "Halide::Halide")
            set(${out} TRUE PARENT_SCOPE)
            return()
        elseif(link MATCHES "^nestor_" AND TARGET ${link})
            nestor_sees_halide(${link} seen)
            if(seen)
                set(${out} TRUE PARENT_SCOPE)
                return()
            endif()
        endif()
    endforeach()
endfunction()

function(nestor_add_test_suite folder)
    cmake_parse_arguments(
        PARSE_ARGV 1 arg "HALIDE;SEPARATE;ALONE" "SHARDS;TIMEOUT" "SOURCES;USES;LINKS;ENVIRONMENT;DEFINES"
    )
    set(target test_${folder})
    set(root "${PROJECT_SOURCE_DIR}/tests/${folder}")
    set(sources ${arg_SOURCES})
    if(NOT sources)
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${root}/*.cpp")
    endif()
    if(NOT sources)
        return()
    endif()
    if(NOT arg_USES)
        set(arg_USES ${folder})
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 900)
    endif()
    if(NOT arg_SHARDS)
        set(arg_SHARDS 1)
    endif()

    # 1. The executable.
    add_executable(${target} ${sources})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
    if(arg_SEPARATE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif()
    target_compile_definitions(
        ${target} PRIVATE NESTOR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" ${arg_DEFINES}
    )
    target_link_libraries(${target} PRIVATE nestor_options ${arg_LINKS} GTest::gmock GTest::gtest_main)
    set(halide ${arg_HALIDE})
    foreach(used IN LISTS arg_USES)
        if(TARGET nestor_${used})
            target_link_libraries(${target} PRIVATE nestor_${used})
            nestor_sees_halide(nestor_${used} seen)
            if(seen)
                set(halide TRUE)
            endif()
        endif()
    endforeach()
    if(halide)
        target_link_libraries(${target} PRIVATE Halide::Halide)
        nestor_precompile_halide(${target})
    else()
        nestor_compile_lightly(${target})
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")

    # 2. Its entries.
    math(EXPR last "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last})
        set(name ${folder})
        set(environment ${NESTOR_TEST_ENVIRONMENT} ${arg_ENVIRONMENT})
        if(arg_SHARDS GREATER 1)
            math(EXPR number "${shard} + 1")
            set(name ${folder}.${number}of${arg_SHARDS})
            list(APPEND environment GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${shard})
        endif()
        add_test(
            NAME ${name}
            COMMAND ${target} --gtest_brief=1
                    "--gtest_output=xml:${PROJECT_BINARY_DIR}/test-results/${folder}/${name}.xml"
            WORKING_DIRECTORY "${PROJECT_BINARY_DIR}"
        )
        nestor_describe_entry(${name} ${folder} ${arg_TIMEOUT} "${environment}")
        if(arg_ALONE)
            set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
        endif()
    endforeach()
endfunction()

# nestor_add_test_command(<suite> <name> COMMAND <command>... [TIMEOUT <seconds>] [ENVIRONMENT <k=v>...])
# registers a command (a script, say) as one test of a suite.
function(nestor_add_test_command suite name)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "COMMAND;ENVIRONMENT")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 900)
    endif()
    add_test(NAME ${suite}.${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
    nestor_describe_entry(
        ${suite}.${name} ${suite} ${arg_TIMEOUT} "${NESTOR_TEST_ENVIRONMENT};${arg_ENVIRONMENT}"
    )
endfunction()

# What every entry has. Those of suites with the largest budgets (tests/budgets.txt) begin first, so that no core
# waits for them at the end.
function(nestor_describe_entry name suite timeout environment)
    file(STRINGS "${PROJECT_SOURCE_DIR}/tests/budgets.txt" budgets REGEX "^${suite} ")
    string(REGEX MATCH "[0-9]+" seconds "${budgets}")
    if(NOT seconds)
        set(seconds 0)
    endif()
    set_tests_properties(
        ${name} PROPERTIES LABELS ${suite} TIMEOUT ${timeout} ENVIRONMENT "${environment}" COST ${seconds}
    )
endfunction()

# What several suites share, tests/support, is the library nestor_test_support.
function(nestor_add_test_support)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
    if(NOT sources)
        return()
    endif()
    add_library(nestor_test_support STATIC ${sources})
    target_include_directories(
        nestor_test_support PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests"
    )
    target_link_libraries(nestor_test_support PRIVATE nestor_options PUBLIC Halide::Halide)
    foreach(layer IN ITEMS halide search)
        if(TARGET nestor_${layer})
            target_link_libraries(nestor_test_support PUBLIC nestor_${layer})
        endif()
    endforeach()
    nestor_precompile_halide(nestor_test_support)
endfunction()

# Every folder of tests/ that has C++ in it; one with a CMakeLists.txt speaks for itself.
function(nestor_add_test_folders)
    nestor_add_test_support()
    file(
        GLOB folders
        CONFIGURE_DEPENDS
        LIST_DIRECTORIES TRUE
        RELATIVE "${PROJECT_SOURCE_DIR}/tests"
        "${PROJECT_SOURCE_DIR}/tests/*"
    )
    foreach(folder IN LISTS folders)
        set(root "${PROJECT_SOURCE_DIR}/tests/${folder}")
        if(NOT IS_DIRECTORY "${root}" OR folder STREQUAL "support")
            continue()
        elseif(EXISTS "${root}/CMakeLists.txt")
            add_subdirectory("${root}" "${PROJECT_BINARY_DIR}/tests/${folder}")
        elseif(TARGET nestor_${folder})
            nestor_add_test_suite(${folder})
        endif()
    endforeach()
endfunction()
