// Groups of lanes of one warp.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The thread's place in its warp, 0 to 31 (one-dimensional blocks).
__device__ __forceinline__ unsigned lane_id() {
  return threadIdx.x % 32;
}

/// How many lanes of `mask` are below the caller.
__device__ __forceinline__ unsigned lanes_below(unsigned mask) {
  return static_cast<unsigned>(__popc(mask & ((1u << lane_id()) - 1)));
}

/// The sum of the values of the lanes up to the caller, it among them. All lanes of the warp call
/// it.
__device__ __forceinline__ std::uint32_t sum_up_to_lane(std::uint32_t value) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t theirs = __shfl_up_sync(0xffffffffu, value, step);
    if (lane_id() >= step) value += theirs;
  }
  return value;
}

/// Some lanes of the calling warp, the caller among them. All of them hold the same mask and call
/// the members together. Who asks which lanes are here is inlined: as a function of its own it
/// would be one place for all who call it, and find lanes together that then go different ways.
class lane_group {
 public:
  /// All 32 lanes. A mask that the compiler knows makes every member cheaper.
  __device__ static lane_group whole_warp() { return lane_group(all_lanes); }

  /// The lanes that are here together right now, whichever the hardware finds.
  __device__ __forceinline__ static lane_group active_lanes() { return lane_group(lanes_here()); }

  /// Those of them that bring the same key; being left out costs only combining, never correctness.
  /// All who are here call this, and then each member, together, as a convoy of groups: that is one
  /// instruction for all of them, where a mask per group costs one per group.
  template <class Key>
  __device__ __forceinline__ static lane_group with_same(Key key) {
    const unsigned here = lanes_here();
    return lane_group(__match_any_sync(here, key) & here, here);
  }

  /// The same for the lanes of the whole warp, all of which call this.
  template <class Key>
  __device__ static lane_group of_warp_with_same(Key key) {
    return lane_group(__match_any_sync(all_lanes, key), all_lanes);
  }

  /// The same lanes, for calls that the other groups of the convoy do not make.
  __device__ lane_group detached() const { return lane_group(mask_); }

  __device__ bool is_whole_warp() const { return mask_ == all_lanes; }
  __device__ unsigned mask() const { return mask_; }
  __device__ int size() const { return __popc(mask_); }
  __device__ int leader() const { return __ffs(static_cast<int>(mask_)) - 1; }
  __device__ int last() const { return 31 - __clz(static_cast<int>(mask_)); }
  __device__ bool is_leader() const { return static_cast<int>(lane_id()) == leader(); }
  __device__ bool is_last() const { return static_cast<int>(lane_id()) == last(); }

  /// How many lanes of the group are below the caller.
  __device__ unsigned rank() const { return lanes_below(mask_); }

  /// The lanes of the group that bring true, as a mask of the warp.
  __device__ unsigned ballot(bool vote) const { return __ballot_sync(convoy_, vote) & mask_; }
  __device__ bool any(bool vote) const { return ballot(vote) != 0; }

  /// The next lane of the group after the caller; the caller itself when it is the last.
  __device__ int next() const {
    const unsigned above = mask_ & (0xfffffffeu << lane_id());
    return above == 0 ? static_cast<int>(lane_id()) : __ffs(static_cast<int>(above)) - 1;
  }

  /// What lane `source` (one of the group) brings as `value`, a number or something of 4 or 8
  /// bytes.
  template <class T>
  __device__ T get(T value, int source) const {
    if constexpr (std::is_arithmetic_v<T>) {
      return __shfl_sync(convoy_, value, source);
    } else {
      std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits;
      static_assert(sizeof bits == sizeof value);
      std::memcpy(&bits, &value, sizeof bits);
      bits = __shfl_sync(convoy_, bits, source);
      std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
      return value;
    }
  }

  /// All values of the group put together by `op`, which is associative, in the order of the lanes.
  /// Five steps, whatever the size of the group.
  template <class T, class Operation>
  __device__ T fold(T value, Operation op) const {
    int after = is_last() ? -1 : next();
    for (int step = 0; step < 5; ++step) fold_step(value, after, op);
    return get(value, leader());
  }
  /// The same, in no more steps than the largest group of the convoy takes, and a vote for each:
  /// for groups that mostly are of a lane or two.
  template <class T, class Operation>
  __device__ T fold_few(T value, Operation op) const {
    int after = is_last() ? -1 : next();
    while (__any_sync(convoy_, after >= 0) != 0) fold_step(value, after, op);
    return get(value, leader());
  }

  /// The greatest of the group's values.
  __device__ unsigned max(unsigned value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(mask_, value);
#else
    return fold(value, [](unsigned a, unsigned b) { return a < b ? b : a; });
#endif
  }

  /// Waits for all lanes of the group and orders their memory accesses among each other.
  __device__ void sync() const {
    __syncwarp(convoy_);
  }

 private:
  __device__ explicit lane_group(unsigned mask) : lane_group(mask, mask) {}
  __device__ lane_group(unsigned mask, unsigned convoy) : mask_(mask), convoy_(convoy) {}

  // `value` stands for the lanes from this one to before `after`, which is negative behind the
  // last.
  template <class T, class Operation>
  __device__ __forceinline__ void fold_step(T& value, int& after, Operation op) const {
    const int from = after < 0 ? static_cast<int>(lane_id()) : after;
    const T theirs = get(value, from);
    const int further = get(after, from);
    if (after < 0) return;
    value = op(value, theirs);
    after = further;
  }

  // The only place that asks for the active lanes. ptxas (CUDA 13.0) takes what the hardware
  // answers for the same in all lanes of the warp, also of those that asked at another time or
  // place: it then checks the masks of later shuffles and waits by one lane's, and where lanes of
  // another mask are about these run unchecked. The caller's own bit, which is in the mask already,
  // makes it the lane's own in the eyes of the assembler.
  __device__ __forceinline__ static unsigned lanes_here() {
    return __activemask() | 1u << lane_id();
  }

  static constexpr unsigned all_lanes = 0xffffffffu;
  unsigned mask_;
  unsigned convoy_;  ///< the lanes that make each call: all that the group was formed among
};

/// The lanes that the block's first warp has: 32, or all threads of a smaller block. They call the
/// members together. Where the group is known to be all that call, a vote is one instruction.
class first_warp {
 public:
  __device__ first_warp() : mask_(blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu) {}

  __device__ bool all(bool vote) const { return __all_sync(mask_, vote) != 0; }
  __device__ bool any(bool vote) const { return __any_sync(mask_, vote) != 0; }
  /// What lane `source` brings as `value`.
  template <class T>
  __device__ T get(T value, int source) const {
    return __shfl_sync(mask_, value, source);
  }
  /// The sum, and the least, of what all lanes bring.
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
