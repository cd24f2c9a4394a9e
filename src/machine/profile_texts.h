#pragma once
// The files of profiles/, which the build puts into the library (cmake/NestorEmbed.cmake): the
// plug-in needs nothing beside itself.

#include <cstddef>

namespace nestor {

struct ProfileText {
    const char* name;  // of the file, without its ending
    const char* text;
};

extern const std::size_t kProfileTexts;
extern const ProfileText profile_texts[];

}  // namespace nestor
