// A grid barrier by libcu++'s cuda::barrier of device scope, for comparison: what a program has by
// the C++ standard library's interface. Empty if there is no libcu++.
//
//|     every block ──adds 2^32──> one word <──polls── every block
//|                                    └─ its sign flips; the last block adds the next epoch's start
//
// Participants: all threads of a cooperative grid; thread 0 of each block arrives for it.
// Scope: device.
// Ordering: block barrier; arrive() releases and acquires, each poll acquires; block barrier.
// Progress: blocking; every block must be resident, which a cooperative launch guarantees. The wait
//   is the library's, but returns at intervals, so that the watchdog can end it. The library has no
//   public name for that, except for barriers in shared memory; these are the functions that its
//   wait() calls.
// Residency: of all blocks.
// Traffic per block: one addition, two by the last block; all blocks poll the one word. They read
//   the clock before the first poll and after 16 polls, which is a pause before the first: polled
//   at once, the barrier takes 9 % longer with one block per SM (an H100).
// Fairness: every block passes once per round.
// Reset: constructs the barrier again.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/barriers/overlap.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#if __has_include(<cuda/barrier>)

#include <cuda/barrier>
#include <cuda/std/chrono>

#include <new>

namespace finesync::applications {

/// The loop of the library's wait(), which ADL finds by its limit. \returns false after the limit.
template <class Poll, class Limit>
__device__ bool polled_by_library(const Poll& poll, const Limit& limit) {
  if constexpr (requires { __cccl_thread_poll_with_backoff(poll, limit); })
    return __cccl_thread_poll_with_backoff(poll, limit);
  else
    return __libcpp_thread_poll_with_backoff(poll, limit);  // its former name
}

/// Used by thread 0 of each block. \tparam Library cuda::barrier
template <class Library>
class libcudacxx_block {
 public:
  __device__ libcudacxx_block(Library& all, const watchdog_ref& watchdog)
      : all_(&all), watchdog_(watchdog) {}

  static constexpr unsigned callers = 1;  ///< threads of a block that call the functions below

  __device__ bool sync_for_block() {
    arrive_for_block();
    return wait_for_block();
  }
  __device__ void arrive_for_block() { mine_ = all_->arrive(); }
  __device__ bool wait_for_block() {
    bounded_wait wait(watchdog_, awaited::blocks);
    const auto all_have_come = [this] { return __call_try_wait(*all_, token(mine_)); };
    while (!polled_by_library(all_have_come, cuda::std::chrono::nanoseconds(100'000)))
      if (wait.timed_out()) return false;
    return true;
  }

 private:
  using token = typename Library::arrival_token;

  Library* all_;
  token mine_ = {};
  watchdog_ref watchdog_;
};

/// By one thread.
template <class Library>
__global__ void construct_barrier(unsigned char* memory, unsigned arrivals) {
  assume_one_dimension();
  new (memory) Library(arrivals);
}

class libcudacxx_barrier {
  using library = cuda::barrier<cuda::thread_scope_device>;

 public:
  class ref_type {
   public:
    using participant = with_overlap<libcudacxx_block<library>>;

    explicit ref_type(library* all) : all_(all) {}
    __device__ participant join(const watchdog_ref& watchdog) const {
      return participant(*all_, watchdog);
    }

   private:
    library* all_;
  };

  explicit libcudacxx_barrier(const launch_shape& shape)
      : blocks_(checked(shape).blocks), memory_(sizeof(library)) {
    reset();
  }

  void reset() {
    launch_independent(construct_barrier<library>, {1, 1}, memory_.raw_pointer(), blocks_);
  }
  ref_type ref() const { return ref_type(reinterpret_cast<library*>(memory_.raw_pointer())); }

 private:
  unsigned blocks_;
  buffer<unsigned char> memory_;
};

static_assert(grid_barrier<libcudacxx_barrier::ref_type>);

}  // namespace finesync::applications

#endif
