#include "support/pipelines.h"

namespace nestor::testing {

std::vector<TestPipeline> all_awkward_pipelines() {
    std::vector<TestPipeline> all;
    for (auto table :
         {boundary_pipelines,   reduction_pipelines, update_pipelines,     output_pipelines,
          gather_pipelines,     choice_pipelines,    repeat_pipelines,     type_pipelines,
          size_pipelines,       pyramid_pipelines,   scheduled_pipelines,  derivative_pipelines,
          extern_pipelines,     ordered_pipelines,   output_sum_pipelines, product_pipelines,
          transposed_pipelines, resampled_pipelines, large_pipelines,      channel_pipelines,
          layout_pipelines,     block_pipelines}) {
        for (TestPipeline& row : table()) {
            all.push_back(std::move(row));
        }
    }
    return all;
}

}  // namespace nestor::testing
