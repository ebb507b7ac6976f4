// SPDX-License-Identifier: Apache-2.0
// Groups of lanes of one warp.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/platform.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// The thread's lane in its warp, 0 to 31.
__device__ __forceinline__ unsigned lane_id() {
  return thread_rank() % 32;
}

/// Whether the caller is lane `number`. It compares the register of lanes, so the compiler knows
/// that a single lane runs what this guards. After `lane_id() == number` it does not: if that lane
/// adds to a word, it first votes and counts which lanes add, to add once for all, some 40 ns on an
/// H100. The register takes longer to read than a thread's number, so this is for additions alone.
__device__ __forceinline__ bool is_single_lane(unsigned number) {
#ifdef FINESYNC_HOST_EXECUTOR
  return lane_id() == number;
#else
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane == number;
#endif
}

/// Number of lanes of `mask` below the caller.
__device__ __forceinline__ unsigned lanes_below(unsigned mask) {
  return static_cast<unsigned>(__popc(mask & ((1u << lane_id()) - 1)));
}

/// The inclusive prefix sum of the lanes' values. All lanes of the warp call it.
__device__ __forceinline__ std::uint32_t sum_up_to_lane(std::uint32_t value) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t theirs = __shfl_up_sync(0xffffffffu, value, step);
    if (lane_id() >= step) value += theirs;
  }
  return value;
}

/// Some lanes of the calling warp, including the caller. All of them hold the same mask and call
/// the members together. Functions that read the active lanes are inlined. As an out-of-line
/// function such a read would be one place for all callers, and would group lanes that then
/// diverge.
class lane_group {
 public:
  /// All 32 lanes. A mask that the compiler knows makes every member cheaper.
  __device__ static lane_group whole_warp() { return lane_group(all_lanes); }

  /// The lanes that are active here right now, as the hardware reports them.
  __device__ __forceinline__ static lane_group active_lanes() { return lane_group(lanes_here()); }

  /// The active lanes with the same key. A lane that is left out only costs combining, never
  /// correctness. All active lanes call this, and then each member, together, as a convoy of
  /// groups. That takes one instruction for all groups, where a mask per group takes one per group.
  template <class Key>
  __device__ __forceinline__ static lane_group with_same(Key key) {
    const unsigned here = lanes_here();
    return lane_group(__match_any_sync(here, key) & here, here);
  }

  /// The same for the whole warp; all its lanes call this.
  template <class Key>
  __device__ static lane_group of_warp_with_same(Key key) {
    return lane_group(__match_any_sync(all_lanes, key), all_lanes);
  }

  /// The same lanes, for calls that the convoy's other groups do not make.
  __device__ lane_group detached() const { return lane_group(mask_); }

  __device__ bool is_whole_warp() const { return mask_ == all_lanes; }
  __device__ unsigned mask() const { return mask_; }
  __device__ int size() const { return __popc(mask_); }
  __device__ int leader() const { return __ffs(static_cast<int>(mask_)) - 1; }
  __device__ int last() const { return 31 - __clz(static_cast<int>(mask_)); }
  __device__ bool is_leader() const { return static_cast<int>(lane_id()) == leader(); }
  __device__ bool is_last() const { return static_cast<int>(lane_id()) == last(); }

  /// Number of lanes of the group below the caller.
  __device__ unsigned rank() const { return lanes_below(mask_); }

  /// The lanes of the group that vote true, as a mask of the warp.
  __device__ unsigned ballot(bool vote) const { return __ballot_sync(convoy_, vote) & mask_; }
  __device__ bool any(bool vote) const { return ballot(vote) != 0; }

  /// The group's next lane after the caller; for the last lane, the caller.
  __device__ int next() const {
    const unsigned above = mask_ & (0xfffffffeu << lane_id());
    return above == 0 ? static_cast<int>(lane_id()) : __ffs(static_cast<int>(above)) - 1;
  }

  /// The `value` of lane `source`, a lane of the group: a number or an object of 4 or 8 bytes.
  template <class Type>
  __device__ Type get(Type value, int source) const {
    if constexpr (std::is_arithmetic_v<Type>) {
      return __shfl_sync(convoy_, value, source);
    } else {
      std::conditional_t<sizeof(Type) == 4, std::uint32_t, std::uint64_t> bits;
      static_assert(sizeof bits == sizeof value);
      std::memcpy(&bits, &value, sizeof bits);
      bits = __shfl_sync(convoy_, bits, source);
      std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
      return value;
    }
  }

  /// The group's values combined by the associative operation `op`, in lane order. Takes five steps
  /// for any group size.
  template <class Type, class Operation>
  __device__ Type fold(Type value, Operation op) const {
    int after = is_last() ? -1 : next();
    for (int step = 0; step < 5; ++step) fold_step(value, after, op);
    return get(value, leader());
  }
  /// The same, in as many steps as the convoy's largest group needs, with a vote per step: for
  /// groups of mostly one or two lanes.
  template <class Type, class Operation>
  __device__ Type fold_few(Type value, Operation op) const {
    int after = is_last() ? -1 : next();
    while (__any_sync(convoy_, after >= 0) != 0) fold_step(value, after, op);
    return get(value, leader());
  }

  /// The maximum of the group's values.
  __device__ unsigned max(unsigned value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(mask_, value);
#else
    return fold(value, [](unsigned a, unsigned b) { return a < b ? b : a; });
#endif
  }

  /// The sum of the group's values.
  __device__ unsigned sum(unsigned value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(mask_, value);
#else
    return fold(value, [](unsigned a, unsigned b) { return a + b; });
#endif
  }

  /// Waits for all lanes of the group and orders their memory accesses among each other.
  __device__ void sync() const {
    __syncwarp(convoy_);
  }

 private:
  __device__ explicit lane_group(unsigned mask) : lane_group(mask, mask) {}
  __device__ lane_group(unsigned mask, unsigned convoy) : mask_(mask), convoy_(convoy) {}

  // `value` covers the lanes from this one up to, but not including, `after`; a negative `after`
  // means up to the last lane.
  template <class Type, class Operation>
  __device__ __forceinline__ void fold_step(Type& value, int& after, Operation op) const {
    const int from = after < 0 ? static_cast<int>(lane_id()) : after;
    const Type theirs = get(value, from);
    const int further = get(after, from);
    if (after < 0) return;
    value = op(value, theirs);
    after = further;
  }

  // The only place that reads the active lanes. ptxas (CUDA 13.0) takes the result for equal in all
  // lanes of the warp, even in lanes that read it at another time or place. It then checks the
  // masks of later shuffles and waits only for one lane's mask, and lanes with another mask run
  // unchecked. The caller's own bit, already in the mask, makes the assembler treat the value as
  // per lane.
  __device__ __forceinline__ static unsigned lanes_here() {
    return __activemask() | 1u << lane_id();
  }

  static constexpr unsigned all_lanes = 0xffffffffu;
  unsigned mask_;
  unsigned convoy_;  ///< the lanes that make each call: the union of all groups formed together
};

/// The lanes of the block's first warp: 32, or all threads of a smaller block. They call the
/// members together. A vote is one instruction, as the group is known to include all callers.
class first_warp {
 public:
  __device__ first_warp()
      : mask_(block_threads() < 32 ? (1u << block_threads()) - 1 : 0xffffffffu) {}

  __device__ bool all(bool vote) const { return __all_sync(mask_, vote) != 0; }
  __device__ bool any(bool vote) const { return __any_sync(mask_, vote) != 0; }
  /// The `value` of lane `source`.
  template <class Type>
  __device__ Type get(Type value, int source) const {
    return __shfl_sync(mask_, value, source);
  }
  /// The sum and the minimum of the lanes' values.
  __device__ std::uint32_t sum(std::uint32_t value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(mask_, value);
#else
    return fold(value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
  }
  __device__ std::uint32_t least(std::uint32_t value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(mask_, value);
#else
    return fold(value, [](std::uint32_t a, std::uint32_t b) { return b < a ? b : a; });
#endif
  }
  /// Waits for all lanes and orders their memory accesses among each other.
  __device__ void sync() const {
    __syncwarp(mask_);
  }

 private:
  template <class Operation>
  __device__ std::uint32_t fold(std::uint32_t value, Operation op) const {
    const int lane = static_cast<int>(lane_id());
    const int lanes = __popc(mask_);
    for (int distance = 16; distance > 0; distance /= 2) {
      const bool has_other = lane + distance < lanes;
      const std::uint32_t other = get(value, has_other ? lane + distance : lane);
      if (has_other) value = op(value, other);
    }
    return get(value, 0);
  }

  unsigned mask_;
};

}  // namespace finesync::inline FINESYNC_ABI
