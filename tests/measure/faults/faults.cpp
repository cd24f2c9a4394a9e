#include "faults.h"

#include <csignal>
#include <cstdlib>
#include <cstring>

extern "C" {

Fault fault_kind = Fault::none;

std::int32_t with_fault(std::int32_t x) {
    static int calls = 0;
    calls++;
    switch (fault_kind) {
        case Fault::none:
            return x;
        case Fault::crash:
            std::raise(SIGSEGV);
            return x;
        case Fault::loop:
            for (volatile bool forever = true; forever;) {
            }
            return x;
        case Fault::allocate: {
            constexpr std::size_t kBytes = std::size_t{20} << 30U;
            auto* volatile memory = new char[kBytes];
            std::memset(memory, x, kBytes);
            const std::int32_t first = memory[kBytes / 2];
            delete[] memory;
            return first;
        }
        case Fault::wrong:
            return x == 3 ? 4 : x;
        case Fault::abort:
            std::abort();
        case Fault::late:  // right at first
            return calls > 100'000 && x == 3 ? 4 : x;
        case Fault::leave:  // not at first
            return calls > 100'000 ? std::raise(SIGKILL) : x;
        case Fault::stop:  // not at first
            for (volatile bool forever = calls > 100'000; forever;) {
            }
            return x;
    }
    return x;
}

}  // extern "C"
