// NVIDIA's cuda::barrier among all blocks: what a practitioner finds in libcu++.
//
// Participants: all threads of a cooperative grid; one thread of each block arrives for it.
// Scope: device.     Ordering: arrive() releases, wait() acquires; block barriers around them.
// Progress: blocking, and no watchdog can end the wait, as the library has no bounded one for
//   barriers in global memory.     Residency: of all blocks.
// Traffic: one addition per block, two by the last; every look acquires.
// Reset: makes the barrier anew.
#include "barrier_synchronizer.cuh"

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/buffer.cuh>
#include <finesync/device/launch.cuh>

#include <cuda/barrier>

namespace finesync::rendezvous {

namespace {

using barrier = cuda::barrier<cuda::thread_scope_device>;

/// Begins the life of the barrier in `memory`; it needs no end.
__global__ void construct(unsigned char* memory, unsigned arrivals) {
  init(reinterpret_cast<barrier*>(memory), arrivals);
}

class libcudacxx_barrier {
 public:
  class participant {
   public:
    __device__ explicit participant(barrier* all) : all_(all) {}

    __device__ bool wait() {
      __syncthreads();
      if (threadIdx.x == 0) all_->arrive_and_wait();
      __syncthreads();
      return true;
    }

   private:
    barrier* all_;
  };

  class handle {
   public:
    using participant = libcudacxx_barrier::participant;
    explicit handle(barrier* all) : all_(all) {}
    __device__ participant join(const watchdog_ref&) const { return participant(all_); }

   private:
    barrier* all_;
  };

  explicit libcudacxx_barrier(const launch_shape& shape)
      : blocks_(shape.blocks), memory_(sizeof(barrier)) {
    reset();
  }

  void reset() { launch_independent(construct, {1, 1}, memory_.as<unsigned char>(), blocks_); }
  handle ref() const { return handle(reinterpret_cast<barrier*>(memory_.as<unsigned char>())); }

 private:
  unsigned blocks_;
  buffer<unsigned char> memory_;
};

}  // namespace

std::unique_ptr<trial> make_libcudacxx(const setup& how) {
  return std::make_unique<barrier_synchronizer<libcudacxx_barrier>>(how);
}

}  // namespace finesync::rendezvous
