#pragma once
// What Halide's run-time is given to call back, from any of its threads: allocators that count, and
// an error handler that keeps the message. Part of benchmark binaries, too (measure/benchmark.h).

#include <cstddef>
#include <string>

namespace nestor {

/** What halide_set_custom_malloc() and halide_set_custom_free() take. */
[[nodiscard]] void* counted_malloc(void* user_context, std::size_t size);
void counted_free(void* user_context, void* pointer);

/** Largest number of bytes that were allocated by them at once in this process. */
[[nodiscard]] std::size_t counted_peak();

/** What halide_set_error_handler() takes: keeps the first message (the default ends the process).
 */
void keep_error(void* user_context, const char* message);

/** The message that was kept, "no message" if none was; forgets it. */
[[nodiscard]] std::string take_error();

}  // namespace nestor
