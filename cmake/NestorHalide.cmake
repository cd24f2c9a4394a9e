# Finds Halide in the installed `halide` Python distribution and calls find_package(Halide).
# Asked in this order: -DHalide_DIR, -DPython3_EXECUTABLE or -DPython_EXECUTABLE, the active virtual
# environment, the project's .venv, python3 on the PATH.

include(NestorFindHalide)

set(NESTOR_HALIDE_VERSION 21.0.0)

function(nestor_locate_halide)
    if(Halide_DIR AND EXISTS "${Halide_DIR}/HalideConfig.cmake")
        return()
    endif()
    nestor_search_halide(
        ${NESTOR_HALIDE_VERSION} dir tried "${PROJECT_SOURCE_DIR}/.venv/bin/python3"
    )
    if(dir)
        set(Halide_DIR "${dir}" CACHE PATH "Folder of HalideConfig.cmake" FORCE)
        return()
    endif()
    message(
        FATAL_ERROR
        "Nestor needs Halide ${NESTOR_HALIDE_VERSION}, and no Python here has it. Run\n"
        "  scripts/setup\n"
        "or, in the Python environment of your choice,\n"
        "  python3 -m pip install halide==${NESTOR_HALIDE_VERSION}\n"
        "and configure again from there, or with "
        "-DHalide_DIR=<site-packages>/halide/lib64/cmake/Halide.\nLooked in:${tried}"
    )
endfunction()

nestor_locate_halide()
# Its rules for Python extensions need Python's headers and are not used here.
set(CMAKE_DISABLE_FIND_PACKAGE_Halide_Python TRUE)
find_package(Halide ${NESTOR_HALIDE_VERSION} REQUIRED)
message(STATUS "Halide ${Halide_VERSION}: ${Halide_DIR}")
