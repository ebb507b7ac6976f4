// SPDX-License-Identifier: Apache-2.0
// Back-off policies: what a waiting thread does between two polls. Locks and semaphores take one as
// a template parameter. `distance` is the number of threads ahead of the waiter, or 1 if the
// primitive does not know it.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/sleep.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Polls again at once.
struct no_backoff {
  static constexpr unsigned max_ns = 0;

  __device__ void wait(unsigned /*distance*/) {}
};

namespace detail {

/// An upper bound for waits: Min at first, doubled at each call up to Max.
template <unsigned Min, unsigned Max>
class exponential_bound {
  static_assert(Min > 0 && Min <= Max);

 public:
  __device__ unsigned next() {
    const unsigned bound = bound_;
    bound_ = bound > Max / 2 ? Max : 2 * bound;
    return bound;
  }
  __device__ void restart() { bound_ = Min; }

 private:
  unsigned bound_ = Min;
};

/// Random numbers that differ between threads.
class thread_random {
 public:
  __device__ unsigned below(unsigned bound) {
    if (last_ == 0) last_ = (block_rank() * block_threads() + thread_rank()) * 2654435761u + 1;
    last_ = last_ * 1664525 + 1013904223;  // Numerical Recipes' generator
    return static_cast<unsigned>(std::uint64_t{last_} * bound >> 32);
  }

 private:
  std::uint32_t last_ = 0;
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
  detail::exponential_bound<MinNs, MaxNs> bound_;
};

/// Sleeps for a random time below a bound, which is MinNs at first and doubles up to MaxNs. Threads
/// that failed at the same moment thus retry at different moments.
template <unsigned MinNs, unsigned MaxNs>
class random_backoff {
 public:
  static constexpr unsigned min_ns = MinNs;
  static constexpr unsigned max_ns = MaxNs;

  __device__ void wait(unsigned /*distance*/) { sleep_ns(random_.below(bound_.next())); }

 private:
  detail::exponential_bound<MinNs, MaxNs> bound_;
  detail::thread_random random_;
};

/// For loops in which other lanes of the warp continue (multi_object/retry_per_lane.cuh); a sleep
/// would delay them. Skips a random number of rounds below a bound, which is MinRounds at first and
/// doubles up to MaxRounds.
template <unsigned MinRounds, unsigned MaxRounds>
class random_round_backoff {
 public:
  static constexpr unsigned min_rounds = MinRounds;
  static constexpr unsigned max_rounds = MaxRounds;

  __device__ void begin() { left_ = random_.below(bound_.next()); }
  /// Call once per round. \returns whether to make an attempt in this round.
  __device__ bool over() {
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  /// Resets the bound, as before the first failure.
  __device__ void restart() { bound_.restart(); }

 private:
  detail::exponential_bound<MinRounds, MaxRounds> bound_;
  detail::thread_random random_;
  unsigned left_ = 0;
};

/// Whether a policy suits retry_per_lane().
template <class Backoff>
concept backs_off_in_rounds = requires(Backoff backoff) {
  backoff.begin();
  backoff.over();
};

/// Sleeps in proportion to the number of threads ahead; the next waiter does not sleep. For FIFO
/// primitives, where the distance predicts the wait.
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

}  // namespace finesync::inline FINESYNC_ABI
