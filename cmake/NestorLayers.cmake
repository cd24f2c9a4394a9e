# One static library a folder of src/, with the dependencies of src/layers.txt and no others.
#
#   nestor_add_layers()              every folder of the table
#   nestor_add_library(<folder> [USES <folder>...] [OUTSIDE <name>...] [HALIDE])
#                                    one of them; HALIDE precompiles Halide.h for it
#   nestor_add_command()             the executable `nestor` (src/cli/main.cpp and nestor_cli); sets NESTOR_OLD_COMMANDS
#                                    to the scripts that start its sub-commands under older names

# Compiles `target` with Halide.h precompiled. Libraries share one precompiled header, executables
# another (they are compiled with other flags: those of tests and generators, nestor_compile_lightly).
function(nestor_precompile_halide target)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
        set(owner nestor_pch_executable)
        if(NOT TARGET ${owner})
            file(WRITE "${PROJECT_BINARY_DIR}/pch/executable.cpp" "int main() { return 0; }\n")
            add_executable(${owner} "${PROJECT_BINARY_DIR}/pch/executable.cpp")
            nestor_compile_lightly(${owner})
        endif()
        nestor_compile_lightly(${target})
    else()
        set(owner nestor_pch_library)
        if(NOT TARGET ${owner})
            file(WRITE "${PROJECT_BINARY_DIR}/pch/library.cpp" "\n")
            add_library(${owner} STATIC "${PROJECT_BINARY_DIR}/pch/library.cpp")
        endif()
    endif()
    get_target_property(ready ${owner} PRECOMPILE_HEADERS)
    if(NOT ready)
        target_link_libraries(${owner} PRIVATE nestor_options Halide::Halide)
        target_precompile_headers(${owner} PRIVATE <Halide.h>)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# The linker's check of the table: all of a library's objects, linked with what the library declares
# and nothing else, leave no symbol undefined. Part of the default build, for nothing but its failure.
function(nestor_add_layer_check folder)
    if(NESTOR_SANITIZE OR NOT NESTOR_TESTS)
        return()
    endif()
    set(empty "${PROJECT_BINARY_DIR}/layers/empty.cpp")
    if(NOT EXISTS "${empty}")
        file(WRITE "${empty}" "\n")
    endif()
    add_library(layer_${folder} MODULE "${empty}")
    target_link_libraries(layer_${folder} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,nestor_${folder}>")
    target_link_options(layer_${folder} PRIVATE -Wl,--no-undefined -Wl,--strip-all)
    set_target_properties(
        layer_${folder} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/layers"
    )
endfunction()

# Sources that cannot be compiled in one unit with others: benchmark.cpp is the whole of a benchmark
# binary, with names of its own; a member of a class in gaussian_process.cpp has an unnamed namespace's type.
set_source_files_properties(
    "${PROJECT_SOURCE_DIR}/src/measure/benchmark.cpp" "${PROJECT_SOURCE_DIR}/src/train/gaussian_process.cpp"
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
)

function(nestor_add_library folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "HALIDE" "" "USES;OUTSIDE")
    set(target nestor_${folder})
    set(root "${PROJECT_SOURCE_DIR}/src/${folder}")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${root}/*.cpp")
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${root}/*.h")
    list(REMOVE_ITEM sources "${root}/main.cpp")
    # A folder that is still empty passes on what it may use.
    if(NOT sources AND NOT headers)
        set(arg_OUTSIDE "")
    endif()

    set(scope PUBLIC)
    if(sources)
        add_library(${target} STATIC ${sources} ${headers})
        target_link_libraries(${target} PRIVATE nestor_options)
    else()
        set(scope INTERFACE)
        add_library(${target} INTERFACE)
    endif()
    if(folder STREQUAL "halide")
        # Some of its sources use Halide's namespaces whole, and many names there are ours, too.
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif()
    target_compile_features(${target} ${scope} cxx_std_20)
    target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src")
    foreach(used IN LISTS arg_USES)
        if(TARGET nestor_${used})
            target_link_libraries(${target} ${scope} nestor_${used})
        endif()
    endforeach()
    foreach(name IN LISTS arg_OUTSIDE)
        target_link_libraries(${target} ${scope} ${NESTOR_OUTSIDE_${name}})
    endforeach()
    if(sources)
        if(arg_HALIDE)
            nestor_precompile_halide(${target})
        endif()
        nestor_add_layer_check(${folder})
    endif()
endfunction()

# Every folder of the table; sets NESTOR_FOLDERS to all of the table's.
function(nestor_add_layers)
    set(table "${PROJECT_SOURCE_DIR}/src/layers.txt")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
    file(STRINGS "${table}" rows REGEX "^[a-z]")
    set(folders "")
    foreach(row IN LISTS rows)
        if(NOT row MATCHES "^([a-z_]+) *\\|([a-z_ ]*)\\|([a-z0-9_ ]*)$")
            message(FATAL_ERROR "${table}: not a row of three columns: ${row}")
        endif()
        set(folder "${CMAKE_MATCH_1}")
        separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_2}")
        separate_arguments(outside UNIX_COMMAND "${CMAKE_MATCH_3}")
        list(APPEND folders ${folder})
        # The plug-in is a library and two modules, with a CMakeLists.txt of its own.
        if(folder STREQUAL "plugin")
            add_subdirectory("${PROJECT_SOURCE_DIR}/src/plugin" "${PROJECT_BINARY_DIR}/src/plugin")
            continue()
        endif()
        set(halide "")
        if("halide" IN_LIST outside)
            set(halide HALIDE)
        endif()
        nestor_add_library(${folder} USES ${uses} OUTSIDE ${outside} ${halide})
    endforeach()
    set(NESTOR_FOLDERS "${folders}" PARENT_SCOPE)
endfunction()

function(nestor_add_command)
    set(main "${PROJECT_SOURCE_DIR}/src/cli/main.cpp")
    if(NOT EXISTS "${main}")
        return()
    endif()
    add_executable(nestor "${main}")
    target_link_libraries(nestor PRIVATE nestor_options nestor_cli)
    target_compile_definitions(nestor PRIVATE NESTOR_VERSION="${PROJECT_VERSION}")
    # The command looks for the plug-in beside itself.
    set_target_properties(nestor PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    # Sub-commands under older names look for it beside themselves.
    file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/autotune/*")
    foreach(script IN LISTS scripts)
        get_filename_component(name "${script}" NAME)
        configure_file("${script}" "${PROJECT_BINARY_DIR}/bin/${name}" COPYONLY)
    endforeach()
    set(NESTOR_OLD_COMMANDS "${scripts}" PARENT_SCOPE)
endfunction()
