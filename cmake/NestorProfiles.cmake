# Puts the machine profiles, src/machine/profiles/*.json, into the library nestor_machine
# (src/machine/profile_texts.h).
#
#   nestor_embed_profiles()
function(nestor_embed_profiles)
    file(GLOB profiles CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/machine/profiles/*.json")
    set(source "${PROJECT_BINARY_DIR}/profiles/profile_texts.cpp")
    set(rows "")
    foreach(profile IN LISTS profiles)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${profile}")
        get_filename_component(name "${profile}" NAME_WE)
        file(READ "${profile}" text)
        string(APPEND rows "    {\"${name}\", R\"profile(${text})profile\"},\n")
    endforeach()
    list(LENGTH profiles count)
    file(
        CONFIGURE
        OUTPUT "${source}"
        CONTENT
            "#include \"machine/profile_texts.h\"

namespace nestor {

const std::size_t kProfileTexts = @count@;
const ProfileText profile_texts[] = {
@rows@};

}  // namespace nestor
"
        @ONLY
    )
    target_sources(nestor_machine PRIVATE "${source}")
endfunction()
