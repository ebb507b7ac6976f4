// libcu++'s cuda::binary_semaphore with the interface of a lock, for comparison. Empty if there is
// no libcu++.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/locks/lock_table.cuh>

#if __has_include(<cuda/semaphore>)

#include <cuda/semaphore>

#include <cstddef>
#include <new>

namespace finesync::workload {

/// try_enter() is the library's acquire(). No watchdog can end its wait, and the library's timed
/// form polls differently. Every competing thread releases, so the wait ends.
class libcudacxx_lock {
  using semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;

 public:
  struct state {
    alignas(semaphore) unsigned char bytes[sizeof(semaphore)];
  };
  struct acquisition {};

  __device__ explicit libcudacxx_lock(state& s) : semaphore_(reinterpret_cast<semaphore*>(&s)) {}

  /// Needed because a semaphore of zeros is taken.
  static void set_up(const lock_table_ref<libcudacxx_lock>& locks, std::size_t count,
                     const stream& on);

  __device__ acquisition enqueue() { return {}; }
  __device__ bool try_enter(acquisition&) {
    semaphore_->acquire();
    return true;
  }
  __device__ void wait(acquisition&) {}
  __device__ void leave(acquisition&) { semaphore_->release(); }

  /// Called by one thread, before any other uses the semaphore.
  __device__ void construct() { new (semaphore_) semaphore(1); }

 private:
  semaphore* semaphore_;
};

template <class Lock>
__global__ void construct_locks(lock_table_ref<Lock> locks, std::size_t count) {
  assume_one_dimension();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    locks[i].construct();
  }
}

inline void libcudacxx_lock::set_up(const lock_table_ref<libcudacxx_lock>& locks, std::size_t count,
                                    const stream& on) {
  launch_independent(on, construct_locks<libcudacxx_lock>,
                     {.blocks = 1024, .threads_per_block = 256}, locks, count);
}

}  // namespace finesync::workload

#endif
