# What `cmake --install` and `pip install` put where.
#
#   <prefix>/bin/nestor, and tools/autotune/* (sub-commands under older names)
#   <prefix>/lib/libautoschedule_nestor.so, libauto_schedule.so
#   <prefix>/lib/cmake/Nestor
#   <prefix>/include/nestor
#
# pip's prefix is site-packages/nestor, beside site-packages/halide.

include(CMakePackageConfigHelpers)
if(DEFINED SKBUILD)
    # Inside a wheel the folders are ours to name.
    set(CMAKE_INSTALL_LIBDIR lib)
    set(CMAKE_INSTALL_BINDIR bin)
    set(CMAKE_INSTALL_INCLUDEDIR include)
endif()
include(GNUInstallDirs)

set(NESTOR_INSTALL_RPATH "" CACHE STRING "More run paths for what is installed, searched last")

# Run paths are relative: to the Halide beside Nestor in site-packages, and to that of a virtual
# environment that is the prefix itself. A plug-in finds Halide in the process that loads it, anyway.
function(nestor_set_install_rpath target folder)
    file(RELATIVE_PATH up "/prefix/${folder}" "/prefix")
    string(REGEX MATCH "python[0-9.]+" python "${Halide_DIR}")
    set(paths "$ORIGIN/${up}../halide/lib64")
    if(python)
        list(APPEND paths "$ORIGIN/${up}lib/${python}/site-packages/halide/lib64")
    endif()
    set_target_properties(
        ${target} PROPERTIES INSTALL_RPATH "${paths};${NESTOR_INSTALL_RPATH}"
    )
endfunction()

# 1. The plug-in, under the names Nestor::Nestor and Nestor::Adams2019 (AUTOSCHEDULER takes the last
#    part of a target's name for the scheduler's).
set_target_properties(autoschedule_nestor PROPERTIES EXPORT_NAME Nestor)
set_target_properties(auto_schedule PROPERTIES EXPORT_NAME Adams2019)
foreach(module IN ITEMS autoschedule_nestor auto_schedule)
    nestor_set_install_rpath(${module} "${CMAKE_INSTALL_LIBDIR}")
endforeach()
install(
    TARGETS autoschedule_nestor auto_schedule
    EXPORT NestorTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
)

# 2. The command.
if(TARGET nestor)
    nestor_set_install_rpath(nestor "${CMAKE_INSTALL_BINDIR}")
    install(TARGETS nestor RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    # Beside it; or, of a wheel, beside the console script of that name.
    set(scripts "${CMAKE_INSTALL_BINDIR}")
    if(DEFINED SKBUILD)
        set(scripts "${SKBUILD_SCRIPTS_DIR}")
    endif()
    install(PROGRAMS ${NESTOR_OLD_COMMANDS} DESTINATION "${scripts}")
endif()

# 3. The header for programs that tune.
install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/include/nestor" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
)

# 4. The CMake package.
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Nestor")
configure_package_config_file(
    cmake/NestorConfig.cmake.in "${PROJECT_BINARY_DIR}/cmake/NestorConfig.cmake"
    INSTALL_DESTINATION "${package}"
)
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/cmake/NestorConfigVersion.cmake" COMPATIBILITY SameMinorVersion
)
install(
    FILES "${PROJECT_BINARY_DIR}/cmake/NestorConfig.cmake"
          "${PROJECT_BINARY_DIR}/cmake/NestorConfigVersion.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/NestorFindHalide.cmake"
    DESTINATION "${package}"
)
install(EXPORT NestorTargets NAMESPACE Nestor:: DESTINATION "${package}")
if(NOT DEFINED SKBUILD) # a wheel has a place of its own for it
    install(
        FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/nestor"
    )
endif()
