#include "dag/pipeline_dag.h"

namespace nestor {

std::int64_t Function::bytes_per_point() const {
    std::int64_t bytes = 0;
    for (const ScalarType& type : types) {
        bytes += type.bytes();
    }
    return bytes;
}

std::int64_t Function::points() const {
    std::int64_t points = 1;
    for (const Range& range : region) {
        points *= range.extent;
    }
    return points;
}

int PipelineDag::find(const FuncId& id) const {
    for (std::size_t i = 0; i < functions.size(); i++) {
        if (functions[i].id == id) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

}  // namespace nestor
