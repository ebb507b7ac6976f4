// What a waiting thread does between two polls: a policy, taken by locks and semaphores as a
// template parameter. `distance` is how many others are ahead of the waiter, 1 when the primitive
// cannot know.
#pragma once

#include "finesync/device/sleep.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Polls again at once.
struct no_backoff {
  static constexpr unsigned max_ns = 0;

  __device__ void wait(unsigned /*distance*/) {}
};

/// Sleeps MinNs, then twice as long each time up to MaxNs.
template <unsigned MinNs, unsigned MaxNs>
class exponential_backoff {
  static_assert(MinNs > 0 && MinNs <= MaxNs);

 public:
  static constexpr unsigned min_ns = MinNs;
  static constexpr unsigned max_ns = MaxNs;

  __device__ void wait(unsigned /*distance*/) {
    sleep_ns(ns_);
    ns_ = ns_ > MaxNs / 2 ? MaxNs : 2 * ns_;
  }

 private:
  unsigned ns_ = MinNs;
};

/// Sleeps for a random time below a bound, MinNs at first and twice as much each time up to MaxNs:
/// threads that failed at the same moment do not try again at the same moment.
template <unsigned MinNs, unsigned MaxNs>
class random_backoff {
  static_assert(MinNs > 0 && MinNs <= MaxNs);

 public:
  static constexpr unsigned min_ns = MinNs;
  static constexpr unsigned max_ns = MaxNs;

  __device__ void wait(unsigned /*distance*/) {
    if (random_ == 0) random_ = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    random_ = random_ * 1664525 + 1013904223;  // Numerical Recipes' generator
    sleep_ns(static_cast<unsigned>(std::uint64_t{random_} * bound_ns_ >> 32));
    bound_ns_ = bound_ns_ > MaxNs / 2 ? MaxNs : 2 * bound_ns_;
  }

 private:
  unsigned bound_ns_ = MinNs;
  std::uint32_t random_ = 0;
};

/// Sleeps in proportion to the number of threads ahead, and not at all when next in line. For FIFO
/// primitives, where the distance says how long the wait will be.
template <unsigned NsPerWaiter, unsigned MaxNs>
struct proportional_backoff {
  static constexpr unsigned ns_per_waiter = NsPerWaiter;
  static constexpr unsigned max_ns = MaxNs;

  __device__ void wait(unsigned distance) {
    if (distance <= 1) return;
    const unsigned waiters = distance - 1;
    sleep_ns(waiters > MaxNs / NsPerWaiter ? MaxNs : waiters * NsPerWaiter);
  }
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
