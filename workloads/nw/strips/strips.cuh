// Needleman-Wunsch as dataflow across the GPU, in one launch. A block computes strips of rows in
// cell diagonals of its lanes. It streams the last row of each strip to the block of the next strip
// while both are computed. No block waits for a whole tile.
#pragma once

#include <finesync/device/cluster.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/nw/strips/strip.cuh>
#include <workloads/nw/strips/strip_helpers.cuh>
#include <workloads/nw/strips/strip_wavefront.cuh>

namespace finesync::nw {

/// Runs each warp's role. The branch condition is the same for all lanes of a warp, which the
/// assembler recognizes only for a vote.
template <class Sizes>
__device__ void run_strip(strip_storage<Sizes>& shared, const strip_plan& plan,
                          const strip_position& at, unsigned first_half,
                          const watchdog_ref& watchdog) {
  const unsigned warp = threadIdx.x / lanes;
  const auto same = [](bool asked) { return __all_sync(0xffffffffu, asked) != 0; };
  if (same(warp == 0)) {
    strip_wavefront<Sizes>(shared, plan, at, first_half, watchdog).run();
  } else if (same(is_helper(warp))) {
    const unsigned helper = helper_of(warp);
    if (same(helper < writers)) {
      write(shared, plan, at, helper, first_half, watchdog);
    } else if (same(helper < writers + scorers)) {
      score(shared, plan, at, helper - writers, first_half, watchdog);
    } else if (same(at.needs_carrier())) {
      carry(shared, plan, at, watchdog);
    }
  } else if (same(warp == freeing_warp)) {
    free_inflow(shared, plan, at, first_half, watchdog);
  }
}

/// Cooperative, with blocks of warps_of_strip warps, in clusters of any size. Each block takes
/// strips at a distance of the grid size. When the watchdog ends a wait, all strips end one after
/// the other.
template <class Sizes>
__global__ void __launch_bounds__(warps_of_strip* lanes, Sizes::blocks_per_sm)
    fill_strips(strip_plan plan, watchdog_ref watchdog) {
  assume_one_dimension();
  auto& shared = shared_storage<strip_storage<Sizes>>();
  if (threadIdx.x == 0) {
    shared.tile_ring.open(1, writers + 1);  // and the warp that frees the inflow
    shared.similarity_ring.open(scorers, 1);
  }
  unsigned first_half = 0;
  for (unsigned first = 0; first < plan.strips; first += gridDim.x) {
    const strip_position at{.strip = first + blockIdx.x,
                            .stages = plan.stages(first + blockIdx.x),
                            .is_first_of_cluster = cluster_rank() == 0,
                            .is_last_of_cluster = cluster_rank() + 1 == cluster_blocks()};
    constexpr unsigned words = columns_of_step * (steps_of_stage + Sizes::inflow);
    for (unsigned word = threadIdx.x; word < words; word += blockDim.x) {
      const unsigned slot = word / columns_of_step;
      shared.inflow[word] =
          awaiting(plan, at.has_north(), slot < steps_of_stage ? 0 : slot - steps_of_stage);
    }
    if (threadIdx.x == 0) {
      shared.freed = 0;
      shared.next_freed = 0;
      shared.seen_freed = 0;
    }
    prepare_words(shared, plan.what, at.strip);
    cluster_sync<memory_order::acq_rel>();
    if (at.strip < plan.strips) run_strip(shared, plan, at, first_half, watchdog);
    cluster_sync<memory_order::acq_rel>();
    first_half += plan.template halves<Sizes>();
  }
}

}  // namespace finesync::nw
