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

namespace detail {

/// A bound on sleeps: MinNs, then twice as much each time up to MaxNs.
template <unsigned MinNs, unsigned MaxNs>
class doubling_bound {
  static_assert(MinNs > 0 && MinNs <= MaxNs);

 public:
  __device__ unsigned next() {
    const unsigned bound = ns_;
    ns_ = bound > MaxNs / 2 ? MaxNs : 2 * bound;
    return bound;
  }

 private:
  unsigned ns_ = MinNs;
};

}  // namespace detail

/// Sleeps MinNs, then twice as long each time up to MaxNs.
template <unsigned MinNs, unsigned MaxNs>
class exponential_backoff {
 public:
  static constexpr unsigned min_ns = MinNs;
  static constexpr unsigned max_ns = MaxNs;

  __device__ void wait(unsigned /*distance*/) { sleep_ns(bound_.next()); }

 private:
  detail::doubling_bound<MinNs, MaxNs> bound_;
};

/// Sleeps for a random time below a bound, MinNs at first and twice as much each time up to MaxNs:
/// threads that failed at the same moment do not try again at the same moment.
template <unsigned MinNs, unsigned MaxNs>
class random_backoff {
 public:
  static constexpr unsigned min_ns = MinNs;
  static constexpr unsigned max_ns = MaxNs;

  __device__ void wait(unsigned /*distance*/) {
    if (random_ == 0) random_ = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    random_ = random_ * 1664525 + 1013904223;  // Numerical Recipes' generator
    sleep_ns(static_cast<unsigned>(std::uint64_t{random_} * bound_.next() >> 32));
  }

 private:
  detail::doubling_bound<MinNs, MaxNs> bound_;
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
