# Tests written for pytest, as entries of ctest.
#
#   nestor_test_python(<out>)        the interpreter of the virtual environment that has Halide, else python3
#   nestor_add_python_test(<suite> <name> [SHARDS <n>] [TIMEOUT <seconds>] [ENVIRONMENT <k=v>...])
#                                    test_<name>.py of the current folder; NESTOR_BUILD and NESTOR_CXX are set, and
#                                    NESTOR_SHARD to 0/n, 1/n... if it is cut into entries

include_guard(GLOBAL)

function(nestor_test_python out)
    # <environment>/lib/python3.x/site-packages/halide/lib64/cmake/Halide
    cmake_path(
        ABSOLUTE_PATH Halide_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE halide
    )
    set(python "${halide}/../../../../../../../bin/python3")
    if(NOT EXISTS "${python}")
        find_program(NESTOR_TEST_PYTHON python3 REQUIRED)
        set(python "${NESTOR_TEST_PYTHON}")
    endif()
    cmake_path(NORMAL_PATH python)
    set(${out} "${python}" PARENT_SCOPE)
endfunction()

function(nestor_add_python_test suite name)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "SHARDS;TIMEOUT" "ENVIRONMENT")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 900)
    endif()
    if(NOT arg_SHARDS)
        set(arg_SHARDS 1)
    endif()
    nestor_test_python(python)
    math(EXPR last "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last})
        set(entry ${name})
        if(arg_SHARDS GREATER 1)
            set(entry ${name}.${shard}of${arg_SHARDS})
        endif()
        nestor_add_test_command(
            ${suite} ${entry}
            COMMAND "${python}" -m pytest -q -p no:cacheprovider "${CMAKE_CURRENT_SOURCE_DIR}/test_${name}.py"
                    "--junit-xml=${PROJECT_BINARY_DIR}/test-results/${suite}/${suite}.${entry}.xml"
            TIMEOUT ${arg_TIMEOUT}
            ENVIRONMENT "NESTOR_BUILD=${PROJECT_BINARY_DIR}" "NESTOR_CXX=${CMAKE_CXX_COMPILER}"
                        "NESTOR_SHARD=${shard}/${arg_SHARDS}" ${arg_ENVIRONMENT}
        )
    endforeach()
endfunction()
