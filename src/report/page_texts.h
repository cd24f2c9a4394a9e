#pragma once
// The files of page/ and Chart.js, which the build puts into the library (cmake/NestorEmbed.cmake):
// the command needs nothing beside itself.

#include <cstddef>

namespace nestor {

struct PageText {
    const char* name;  // of the file, without its ending
    const char* text;
};

extern const std::size_t kPageTexts;
extern const PageText page_texts[];

}  // namespace nestor
