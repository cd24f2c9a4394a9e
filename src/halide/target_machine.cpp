#include "halide/target_machine.h"

namespace nestor {

Machine machine_of(const Halide::Target& target) {
    Machine machine;
    machine.vector_bytes = target.natural_vector_size(Halide::UInt(8));
    return machine;
}

}  // namespace nestor
