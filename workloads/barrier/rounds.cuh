// The kernels that are timed: rounds of work, each ended by a barrier.
#pragma once

#include "work.cuh"

#include <finesync/device/watchdog.cuh>

#include <cstdint>

namespace finesync::rendezvous {

/// 32 registers let an SM hold all the threads it can, which the thesis's full-occupancy points
/// need.
template <class Barrier, class Work>
__global__ void __maxnreg__(32)
    run_rounds(Barrier barrier, Work work, unsigned rounds, watchdog_ref dog) {
  auto member = barrier.join(dog);
  if (!work.begin(member, 0)) return;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (!work(round, member)) return;
    if (!member.wait()) return;
  }
  work.finish();
}

/// No barrier at all: for the time of the work alone.
struct no_barrier {
  struct participant {
    __device__ bool wait() { return true; }
    __device__ bool wait_on_sm() { return true; }
  };
  __device__ participant join(const watchdog_ref&) const { return {}; }
};

}  // namespace finesync::rendezvous
