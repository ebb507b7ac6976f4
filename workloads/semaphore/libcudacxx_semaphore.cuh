// libcu++'s cuda::counting_semaphore, for comparison; entries take one permit each. Empty if there
// is no libcu++.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#if __has_include(<cuda/semaphore>)

#include <cuda/semaphore>
#include <cuda/std/chrono>

#include <new>

namespace finesync::semaphore {

using counting_semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;

class libcudacxx_ref {
 public:
  struct acquisition {};

  explicit libcudacxx_ref(counting_semaphore* semaphore) : semaphore_(semaphore) {}

  __device__ acquisition enqueue(unsigned /*permits*/) const { return {}; }
  // Waits as the library does, but returns at intervals, so that the watchdog can end the wait.
  __device__ bool try_enter(acquisition&) const {
    return semaphore_->try_acquire_for(cuda::std::chrono::microseconds(100));
  }
  __device__ void wait(acquisition&) const {}
  __device__ bool leave(acquisition&) const {
    semaphore_->release();
    return true;
  }

 private:
  counting_semaphore* semaphore_;
};

template <class Semaphore>
__global__ void construct(Semaphore* semaphore, unsigned size) {
  assume_one_dimension();
  new (semaphore) Semaphore(size);
}

class libcudacxx_semaphore {
 public:
  struct of_one_permit;

  explicit libcudacxx_semaphore(unsigned size) : bytes_(sizeof(counting_semaphore)), size_(size) {
    reset();
  }
  void reset() { launch_independent(construct<counting_semaphore>, {1, 1}, place(), size_); }
  libcudacxx_ref ref() const { return libcudacxx_ref(place()); }

 private:
  counting_semaphore* place() const {
    return reinterpret_cast<counting_semaphore*>(bytes_.raw_pointer());
  }

  buffer<unsigned char> bytes_;
  unsigned size_;
};

}  // namespace finesync::semaphore

#endif
