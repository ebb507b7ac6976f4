#include "tile_dataflow_experiment.cuh"

#include <memory>

namespace finesync::nw {

std::unique_ptr<bench::experiment> make_dataflow(const setup& how) {
  return with_side(how.tile, static_cast<unsigned>(current_gpu().max_threads_per_sm),
                   [&]<unsigned Side>() -> std::unique_ptr<bench::experiment> {
                     return std::make_unique<dataflow_experiment<sound_flow<Side>>>(how);
                   });
}

}  // namespace finesync::nw
