# Puts files into libraries, so that what is installed needs nothing beside itself.
#
#   nestor_embed(<folder> <array> <type> <count> <file>...)
#                               adds to nestor_<folder> the definitions that src/<folder>/<array>.h
#                               declares: <array>, of type <type>, with name and text of each file,
#                               and their number <count>
#   nestor_embed_profiles()     the machine profiles, src/machine/profiles/*.json
#   nestor_embed_page()         what `nestor report` writes: src/report/page/* and Chart.js
#   nestor_embed_benchmark()    what benchmark binaries are compiled from, and Halide's run-time header
#
# The name is the file's without its ending, or with it after the word WITH_ENDINGS.

function(nestor_embed folder array type count)
    set(source "${PROJECT_BINARY_DIR}/embedded/${array}.cpp")
    set(rows "")
    set(part NAME_WE)
    if("WITH_ENDINGS" IN_LIST ARGN)
        set(part NAME)
        list(REMOVE_ITEM ARGN WITH_ENDINGS)
    endif()
    foreach(file IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
        get_filename_component(name "${file}" ${part})
        file(READ "${file}" text)
        string(FIND "${text}" ")embedded\"" end)
        if(NOT end EQUAL -1)
            message(FATAL_ERROR "${file} holds the mark at which its copy in C++ ends")
        endif()
        string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
    endforeach()
    list(LENGTH ARGN number)
    file(
        CONFIGURE
        OUTPUT "${source}"
        CONTENT
            "#include \"@folder@/@array@.h\"

namespace nestor {

const std::size_t @count@ = @number@;
const @type@ @array@[] = {
@rows@};

}  // namespace nestor
"
        @ONLY
    )
    target_sources(nestor_${folder} PRIVATE "${source}")
endfunction()

function(nestor_embed_profiles)
    file(GLOB profiles CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/machine/profiles/*.json")
    nestor_embed(machine profile_texts ProfileText kProfileTexts ${profiles})
endfunction()

function(nestor_embed_page)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/report/page/*")
    nestor_embed(report page_texts PageText kPageTexts ${files} "${NESTOR_CHART_JS}")
endfunction()

function(nestor_embed_benchmark)
    set(files "")
    foreach(name IN ITEMS elements timing reference_kernel candidate_timing runtime_hooks processor benchmark)
        list(APPEND files "${PROJECT_SOURCE_DIR}/src/measure/${name}.h" "${PROJECT_SOURCE_DIR}/src/measure/${name}.cpp")
    endforeach()
    # <halide>/lib64/cmake/Halide, and <halide>/include beside lib64
    find_file(NESTOR_HALIDE_RUNTIME_H HalideRuntime.h PATHS "${Halide_DIR}/../../../include" NO_DEFAULT_PATH REQUIRED)
    nestor_embed(
        measure benchmark_sources SourceText kBenchmarkSources WITH_ENDINGS
        ${files} "${NESTOR_HALIDE_RUNTIME_H}"
    )
endfunction()
