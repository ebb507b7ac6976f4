// libcu++'s cuda::barrier among all blocks, for comparison. Empty if there is no libcu++.
//
// Participants: all threads of a cooperative grid; one thread of each block arrives for it.
// Scope: device.
// Ordering: arrive() releases, wait() acquires; block barriers around them.
// Progress: blocking; no watchdog can end the wait, as the library has no bounded wait for barriers
//   in global memory.
// Residency: of all blocks.
// Traffic: one addition per block, two by the last block; every poll acquires.
// Reset: constructs the barrier again.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#if __has_include(<cuda/barrier>)

#include <cuda/barrier>

namespace finesync::barrier {

using library_barrier = cuda::barrier<cuda::thread_scope_device>;

/// Constructs the barrier in `memory`; no destructor is needed.
template <class Barrier>
__global__ void construct(unsigned char* memory, unsigned arrivals) {
  init(reinterpret_cast<Barrier*>(memory), arrivals);
}

class libcudacxx_barrier {
 public:
  class participant {
   public:
    __device__ explicit participant(library_barrier* all) : all_(all) {}

    __device__ bool wait() {
      __syncthreads();
      if (threadIdx.x == 0) all_->arrive_and_wait();
      __syncthreads();
      return true;
    }

   private:
    library_barrier* all_;
  };

  class ref_type {
   public:
    using participant = libcudacxx_barrier::participant;
    explicit ref_type(library_barrier* all) : all_(all) {}
    __device__ participant join(const watchdog_ref&) const { return participant(all_); }

   private:
    library_barrier* all_;
  };

  explicit libcudacxx_barrier(const launch_shape& shape)
      : blocks_(shape.blocks), memory_(sizeof(library_barrier)) {
    reset();
  }

  void reset() {
    launch_independent(construct<library_barrier>, {1, 1}, memory_.raw_pointer(), blocks_);
  }
  ref_type ref() const {
    return ref_type(reinterpret_cast<library_barrier*>(memory_.raw_pointer()));
  }

 private:
  unsigned blocks_;
  buffer<unsigned char> memory_;
};

}  // namespace finesync::barrier

#endif
