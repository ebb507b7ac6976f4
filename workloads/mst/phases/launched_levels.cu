#include "launched_levels.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/mst/phases/rounds.cuh>

#include <cstddef>

namespace finesync::mst {
namespace {

__global__ void __launch_bounds__(round_threads)
    join_level(forest_ref run, unsigned number, key_records records, key_records others) {
  assume_one_dimension();
  auto& shared = shared_storage<round_storage>();
  const level at = level_of(run, light, number);
  others.use_those_of(number + 1);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < at.components;
       i += gridDim.x * blockDim.x)
    others.clear(i);
  join(run, light, at, records, shared.reservation);
}

__global__ void __launch_bounds__(round_threads, round_blocks_per_sm)
    settle_level(forest_ref run, unsigned number, autotuned_barrier::ref_type barrier,
                 watchdog_ref watchdog) {
  assume_one_dimension();
  auto participant = barrier.join(watchdog);
  const level at = level_of(run, light, number);
  if (is_worth_settling(at)) settle_components(run, light, at, participant);
}

__global__ void __launch_bounds__(round_threads)
    keep_level(forest_ref run, unsigned number, no_minimum minima, watchdog_ref watchdog) {
  assume_one_dimension();
  auto& shared = shared_storage<round_storage>();
  keep_edges(run, light, level_of(run, light, number), no_component, minima,
             shared.stages[threadIdx.x / 32], watchdog);
}

/// As many blocks as the GPU holds.
template <class... Parameters>
launch_shape everywhere(void (*kernel)(Parameters...), std::size_t shared_bytes) {
  return {.blocks = max_resident_blocks(kernel, round_threads, shared_bytes),
          .threads_per_block = round_threads,
          .shared_bytes = shared_bytes};
}

}  // namespace

void start_level(const forest_ref& run, unsigned number, const key_records& records,
                 const key_records& others, const settling_grid& settling,
                 const watchdog_ref& watchdog) {
  const std::size_t shared_bytes = sizeof(round_storage);
  launch_independent(join_level, everywhere(join_level, shared_bytes), run, number, records,
                     others);
  launch_cooperative(settle_level, settling.shape(), run, number, settling.barrier(), watchdog);
  launch_independent(keep_level, everywhere(keep_level, shared_bytes), run, number,
                     no_minimum(records), watchdog);
}

}  // namespace finesync::mst
