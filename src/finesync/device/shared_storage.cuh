// The shared memory of a kernel, as one named struct.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstddef>

namespace finesync {

/// The block's shared memory as a T. A kernel has one T, names it once here and once as
/// launch_shape::shared_bytes = sizeof(T). Its contents are undefined at the start; members that
/// several threads use are cells.
template <class T>
__device__ __forceinline__ T& shared_storage() {
  static_assert(alignof(T) <= 128);
#ifdef FINESYNC_HOST_EXECUTOR
  return *reinterpret_cast<T*>(simt::shared_storage());
#else
  extern __shared__ __align__(128) unsigned char finesync_shared_bytes[];
  return *reinterpret_cast<T*>(finesync_shared_bytes);
#endif
}

}  // namespace finesync
