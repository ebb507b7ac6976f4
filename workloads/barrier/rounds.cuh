// The timed kernels: rounds of work, each ended by a barrier.
#pragma once

#include "work.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstdint>

namespace finesync::barrier {

/// 32 registers let an SM hold its maximum of threads, which the thesis's full-occupancy points
/// need. \param left_over zero; if the watchdog ends the kernel, the number of rounds that the
/// slowest block still had to do.
template <class Barrier, class Work>
__global__ void __maxnreg__(32) run_rounds(Barrier barrier, Work work, unsigned rounds,
                                           cell<std::uint32_t>* left_over, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  auto participant = barrier.join(watchdog);
  bool goes_on = work.begin(participant, 0);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    goes_on = goes_on && work(round, participant) && participant.wait();
    // Two tests, not a break: docs/library/barriers.md, "What makes a barrier fast".
    if (!goes_on && threadIdx.x == 0)
      atomic_ref<std::uint32_t, scope::device>(*left_over)
          .fetch_max(rounds - round, memory_order::relaxed);
    if (!goes_on) return;
  }
  work.finish();
}

/// No barrier: to time only the work.
struct no_barrier {
  struct participant {
    __device__ bool wait() { return true; }
    __device__ bool wait_on_sm() { return true; }
  };
  __device__ participant join(const watchdog_ref&) const { return {}; }
};

}  // namespace finesync::barrier
