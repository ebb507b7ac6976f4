// SPDX-License-Identifier: Apache-2.0
// Events of blocks on several GPUs: any number of blocks arrive, any number wait, on any GPU.
//
//|  producer:  writes ── arrive() ──┬──> count on GPU 0 <──polls── consumers on GPU 0
//|                                  └──> count on GPU 1 <──polls── consumers on GPU 1
//
// Use: const auto event = ref.at(number); then
//   event.arrive(), or event.arrive_on(gpu), in a producer, after its writes;
//   if (!event.wait(target, watchdog)) return; in a consumer, before its reads
// Participants: whole blocks of a grid on each GPU. An arrival counts on every GPU, or on one where
//   only its blocks wait: `n` arrivals per round there make a count of round * n, rounds counted
//   from 1. A block may be producer and consumer.
// Scope: system.
// Ordering: all threads of a consumer see what all threads of the counted producers did before they
//   arrived. Block barrier, one release fence of system scope, relaxed additions; relaxed polls, an
//   acquire fence of system scope, block barrier.
// Progress: blocking; a consumer waits for arrivals only.
// Residency: producers and consumers (launch_together()).
// Traffic: per arrival a posted addition to each GPU that it counts on; consumers poll the memory
// of
//   their own GPU. The fence is the price, so a producer with several things to tell arrives once.
// Fairness: none needed: an arrival lets all go that wait for it.
// Reset: none between rounds or launches; event_count.cuh says how far ahead a target may be.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/events/event_count.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/gpus_fences.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Owns some events. Movable, not copyable; does not outlive the peers.
/// \tparam Fences so that tests can weaken one.
template <class Fences = gpus_fences>
class gpus_event_counts {
  struct crossing_fences {
    static constexpr scope of_counts = Fences::crossing;
    __device__ static void release() { Fences::release_to_all(); }
    __device__ static void acquire() { Fences::acquire_from_all(); }
  };
  using count = event_count<crossing_fences>;

 public:
  /// One event, as the threads of one block see it.
  class event {
   public:
    __device__ event(const symmetric_view& gpus, unsigned number)
        : gpus_(gpus), offset_(std::size_t{number} * line_bytes) {}

    /// All threads of a producer call it: for consumers on all GPUs.
    __device__ void arrive() const {
      __syncthreads();
      const unsigned first = thread_rank();
      if (first >= gpus_.n) return;
      on(first).add();
      for (unsigned gpu = first + block_threads(); gpu < gpus_.n; gpu += block_threads())
        on(gpu).add_released();
    }

    /// All threads of a producer call it: for consumers on one GPU.
    __device__ void arrive_on(unsigned gpu) const {
      require_on_executor(gpu < gpus_.n, "gpus_event_counts: there is no such GPU");
      __syncthreads();
      if (is_first_of_block()) on(gpu).add();
    }

    /// All threads of a consumer call it. \param target of the count on its own GPU.
    /// \returns false when the watchdog ended the wait.
    __device__ bool wait(std::uint32_t target, const watchdog_ref& watchdog) const {
      bool in_time = true;
      if (thread_rank() < 32) in_time = on(gpus_.me).await(target, watchdog);
      return __syncthreads_or(!in_time) == 0;
    }

   private:
    __device__ count on(unsigned gpu) const { return count(gpus_.at<std::uint32_t>(gpu, offset_)); }

    symmetric_view gpus_;
    std::size_t offset_;
  };

  class ref_type {
   public:
    explicit ref_type(const symmetric_view& gpus) : gpus_(gpus) {}
    __device__ event at(unsigned number) const { return event(gpus_, number); }

   private:
    symmetric_view gpus_;
  };

  /// \throws std::bad_alloc if the memory of a GPU is used up.
  gpus_event_counts(const peers& all, unsigned events)
      : memory_(all, std::size_t{events} * line_bytes / sizeof(std::uint32_t)) {}

  /// Zeroes the counts. Waits for all peers.
  void reset() { memory_.reset(); }
  /// For kernels of GPU `me`.
  ref_type ref(unsigned me) const { return ref_type(memory_.view(me)); }

 private:
  symmetric_memory memory_;
};

}  // namespace finesync::inline FINESYNC_ABI
