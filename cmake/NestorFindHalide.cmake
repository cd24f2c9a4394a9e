# Where is Halide? Its CMake package lies in an installed Python distribution, where find_package does
# not look. Used by Nestor's own build and, installed beside NestorConfig.cmake, by its users'.

# Sets `out` to the folder of HalideConfig.cmake for an interpreter, or to "" if it has no halide of
# that version; appends to `tried_out` what was found instead.
function(nestor_halide_dir_of python version out tried_out)
    set(${out} "" PARENT_SCOPE)
    set(ask [[
import importlib.metadata as m
d = m.distribution("halide")
print(d.version)
print(d.locate_file("halide/lib64/cmake/Halide"))
]])
    execute_process(
        COMMAND "${python}" -c "${ask}"
        RESULT_VARIABLE failed
        OUTPUT_VARIABLE answer
        ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE
    )
    if(failed)
        set(${tried_out} "${${tried_out}}\n  ${python}: no halide" PARENT_SCOPE)
        return()
    endif()
    string(REGEX REPLACE "\r?\n" ";" answer "${answer}")
    list(GET answer 0 found)
    list(GET answer 1 dir)
    if(NOT found VERSION_EQUAL version)
        set(${tried_out} "${${tried_out}}\n  ${python}: halide ${found}" PARENT_SCOPE)
    elseif(NOT EXISTS "${dir}/HalideConfig.cmake")
        set(${tried_out}
            "${${tried_out}}\n  ${python}: halide without a CMake package in ${dir}" PARENT_SCOPE
        )
    else()
        set(${out} "${dir}" PARENT_SCOPE)
    endif()
endfunction()

# nestor_search_halide(<version> <out> <tried_out> [<interpreter>...])
# Asks in this order: Python3_EXECUTABLE, Python_EXECUTABLE, the active virtual environment, the given
# interpreters, python3 on the PATH. Sets `out` as above, and `tried_out` to a list for a message.
function(nestor_search_halide version out tried_out)
    set(tried "")
    set(dir "")
    find_program(NESTOR_PYTHON_ON_PATH python3 NO_CACHE)
    set(pythons
        "${Python3_EXECUTABLE}" "${Python_EXECUTABLE}" "$ENV{VIRTUAL_ENV}/bin/python3" ${ARGN}
        "${NESTOR_PYTHON_ON_PATH}"
    )
    list(REMOVE_DUPLICATES pythons)
    foreach(python IN LISTS pythons)
        if(NOT dir AND python AND EXISTS "${python}")
            nestor_halide_dir_of("${python}" "${version}" dir tried)
        endif()
    endforeach()
    set(${out} "${dir}" PARENT_SCOPE)
    set(${tried_out} "${tried}" PARENT_SCOPE)
endfunction()
