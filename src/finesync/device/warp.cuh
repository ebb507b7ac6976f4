// Groups of lanes of one warp.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync {

/// The thread's place in its warp, 0 to 31 (one-dimensional blocks).
__device__ __forceinline__ unsigned lane_id() {
  return threadIdx.x % 32;
}

/// Some lanes of the calling warp, the caller among them. All of them hold the same mask and call
/// the members together.
class lane_group {
 public:
  __device__ explicit lane_group(unsigned mask) : mask_(mask) {}

  /// The lanes that are here together right now (whichever the hardware finds) and bring the same
  /// key. Being left out costs only combining, never correctness.
  template <class Key>
  __device__ static lane_group with_same(Key key) {
    return lane_group(__match_any_sync(__activemask(), key));
  }

  __device__ unsigned mask() const { return mask_; }
  __device__ int size() const { return __popc(mask_); }
  __device__ int leader() const { return __ffs(static_cast<int>(mask_)) - 1; }
  __device__ int last() const { return 31 - __clz(static_cast<int>(mask_)); }
  __device__ bool is_leader() const { return static_cast<int>(lane_id()) == leader(); }
  __device__ bool is_last() const { return static_cast<int>(lane_id()) == last(); }

  /// The next lane of the group after the caller; the caller itself when it is the last.
  __device__ int next() const {
    const unsigned above = mask_ & (0xfffffffeu << lane_id());
    return above == 0 ? static_cast<int>(lane_id()) : __ffs(static_cast<int>(above)) - 1;
  }

  /// What lane `source` (one of the group) brings as `value`.
  template <class T>
  __device__ T get(T value, int source) const {
    return __shfl_sync(mask_, value, source);
  }

  /// Waits for all lanes of the group and orders their memory accesses among each other.
  __device__ void sync() const { __syncwarp(mask_); }

 private:
  unsigned mask_;
};

}  // namespace finesync
