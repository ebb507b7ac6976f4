// SPDX-License-Identifier: Apache-2.0
// What an arrival at a counter contributes to a reduction: a policy of counter_participant.cuh.
//
// Without a reduction a counter has 32 bits. With one it has 64: the arrivals in the upper bits,
// where an overflow is harmless, and two fields below, used in alternate rounds:
//
//|      | arrivals : 16 | odd rounds : 24 | even rounds : 24 |
//
// One addition updates both, so a thread that sees the last arrival sees all contributions. A block
// may be one round ahead of another, never two, so a field does not change while another block may
// still read it. Fields are never reset: a reader keeps the word's value at the end of the last
// round and subtracts it. This requires that the contributions of a round sum to less than 2^24,
// and that fewer than 2^15 blocks add to a counter.
//
// A minimum cannot be added. Before the arrival it goes to one of two words in the counter's
// sector, as a maximum of (round, complement of the value). What an earlier round left there is
// less than any value of a later round. The fences order the two words.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

struct no_reduction {
  using word = std::uint32_t;
  static constexpr bool is_reduction = false;
  static constexpr bool needs_fences = false;

  __host__ __device__ static constexpr word arrivals(std::uint32_t count) { return count; }
};

namespace detail {

struct separate_reduction {
  using word = std::uint64_t;
  using field = atomic_ref<std::uint64_t, scope::device>;
  static constexpr bool is_reduction = true;
  static constexpr unsigned field_bits = 24;
  static constexpr std::uint32_t max_value = (1u << field_bits) - 1;

  __host__ __device__ static constexpr word arrivals(std::uint32_t count) {
    return word{count} << 2 * field_bits;
  }
};

}  // namespace detail

/// The sum of the blocks' contributions, in each round less than 2^24.
struct sum_reduction : detail::separate_reduction {
  static constexpr std::uint32_t nothing = 0;
  /// Whether the result is wrong without fences.
  static constexpr bool needs_fences = false;

  __device__ static std::uint32_t first_round(cell<word>&) { return 0; }
  __device__ static std::uint32_t admitted(std::uint32_t value) {
    require_on_executor(value <= max_value, "barrier: a block contributes 2^24 or more to a sum");
    return value;
  }
  __device__ static std::uint32_t combine(std::uint32_t a, std::uint32_t b) { return a + b; }
  __device__ static std::uint32_t of_all(const first_warp& warp, std::uint32_t value) {
    return warp.sum(value);
  }
  /// contribute() runs before the fence; added() is added after it, together with the arrival.
  __device__ static void contribute(cell<word>&, std::uint32_t, std::uint32_t) {}
  __device__ static word added(std::uint32_t value, std::uint32_t round) {
    return word{value} << field_bits * (round % 2);
  }
  /// The result from the sum over all lanes' counters.
  __device__ static std::uint32_t result(std::uint32_t total) { return total; }
  /// \param since amount added to the counter since the previous round. Called after the fence.
  __device__ static std::uint32_t found(cell<word>&, word since, std::uint32_t round) {
    return static_cast<std::uint32_t>(since >> field_bits * (round % 2)) & max_value;
  }
};

/// 1 if any block contributes a value other than 0.
struct any_reduction : sum_reduction {
  __device__ static std::uint32_t admitted(std::uint32_t value) { return value != 0 ? 1 : 0; }
  __device__ static std::uint32_t combine(std::uint32_t a, std::uint32_t b) { return a | b; }
  __device__ static std::uint32_t result(std::uint32_t total) { return admitted(total); }
};

/// The minimum of the blocks' contributions; ~0 if there are none.
struct min_reduction : detail::separate_reduction {
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  static constexpr bool needs_fences = true;

  /// A number later than any earlier round, also of earlier launches.
  __device__ static std::uint32_t first_round(cell<word>& counter) {
    const std::uint64_t even = field(field_of(counter, 0)).load(memory_order::relaxed);
    const std::uint64_t odd = field(field_of(counter, 1)).load(memory_order::relaxed);
    return static_cast<std::uint32_t>((even < odd ? odd : even) >> 32) + 1;
  }
  __device__ static std::uint32_t admitted(std::uint32_t value) { return value; }
  __device__ static std::uint32_t combine(std::uint32_t a, std::uint32_t b) {
    return b < a ? b : a;
  }
  __device__ static std::uint32_t of_all(const first_warp& warp, std::uint32_t value) {
    return warp.least(value);
  }
  __device__ static std::uint32_t result(std::uint32_t total) { return total; }
  __device__ static void contribute(cell<word>& counter, std::uint32_t value, std::uint32_t round) {
    field(field_of(counter, round))
        .fetch_max(std::uint64_t{round} << 32 | ~value, memory_order::relaxed);
  }
  __device__ static word added(std::uint32_t, std::uint32_t) { return 0; }
  __device__ static std::uint32_t found(cell<word>& counter, word, std::uint32_t round) {
    const std::uint64_t seen = field(field_of(counter, round)).load(memory_order::relaxed);
    return seen >> 32 == round ? ~static_cast<std::uint32_t>(seen) : nothing;
  }

 private:
  __device__ static cell<word>& field_of(cell<word>& counter, std::uint32_t round) {
    return (&counter)[1 + round % 2];
  }
};

/// A word in shared memory through which the first warp passes the result to the block.
using reduction_slot = cell<std::uint32_t>;

/// A thread's copy of its block's contribution and result: see overlap.cuh.
template <class Reduction>
class reduction_state {
 public:
  __device__ void contribute(std::uint32_t value) { contribution_ = Reduction::admitted(value); }
  __device__ std::uint32_t reduced() const { return reduced_; }

  /// share_reduced() by the first thread; then, after a block barrier, take_reduced() by all
  /// threads.
  __device__ void share_reduced() const { *slot_ = reduced_; }
  __device__ void take_reduced() {
    reduced_ = *slot_;
    contribution_ = Reduction::nothing;
    ++round_;
  }

 protected:
  /// By the first warp, before it arrives.
  __device__ void load(const first_warp& warp) { contribution_ = warp.get(contribution_, 0); }

  /// \param own false: the lane polls another lane's line because it has none of its own.
  __device__ void poll_own_line(bool own) { polls_own_line_ = own; }

  std::uint32_t contribution_ = Reduction::nothing;
  std::uint32_t reduced_ = Reduction::nothing;
  std::uint32_t round_ = 0;
  reduction_slot* slot_ = nullptr;
  bool polls_own_line_ = false;
};

template <>
class reduction_state<no_reduction> {
 protected:
  __device__ void load(const first_warp&) {}
  __device__ void poll_own_line(bool) {}
};

/// Joins a barrier in a kernel whose only shared memory is the reduction slot. The launch provides
/// reduction_bytes<BarrierRef> bytes.
template <class BarrierRef>
__device__ typename BarrierRef::participant join_alone(const BarrierRef& barrier,
                                                       const watchdog_ref& watchdog) {
  if constexpr (requires { barrier.join(watchdog); })
    return barrier.join(watchdog);
  else
    return barrier.join(watchdog, shared_storage<reduction_slot>());
}

template <class BarrierRef>
inline constexpr std::size_t reduction_bytes = requires(const BarrierRef& barrier,
                                                        const watchdog_ref& watchdog) {
  barrier.join(watchdog);
}
? 0 : sizeof(reduction_slot);

}  // namespace finesync::inline FINESYNC_ABI
