#include "tile_dataflow_experiment.cuh"

#include <memory>

namespace finesync::nw {

std::unique_ptr<bench::experiment> make_tile_dataflow(const run_config& config) {
  return with_side(config.tile, static_cast<unsigned>(current_gpu().max_threads_per_sm),
                   [&]<unsigned Side>() -> std::unique_ptr<bench::experiment> {
                     return std::make_unique<dataflow_experiment<correct_flow<Side>>>(config);
                   });
}

}  // namespace finesync::nw
