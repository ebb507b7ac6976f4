// The shared memory of a kernel, as one named struct.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstddef>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The block's shared memory, launch_shape::shared_bytes long, for kernels that lay it out at run
/// time. Aligned to 128 bytes.
__device__ __forceinline__ unsigned char* shared_bytes() {
#ifdef FINESYNC_HOST_EXECUTOR
  return reinterpret_cast<unsigned char*>(simt::shared_storage());
#else
  extern __shared__ __align__(128) unsigned char finesync_shared_bytes[];
  return finesync_shared_bytes;
#endif
}

/// The block's shared memory as a T. A kernel has one T, names it once here and once as
/// launch_shape::shared_bytes = sizeof(T). Its contents are undefined at the start; members that
/// several threads use are cells.
template <class T>
__device__ __forceinline__ T& shared_storage() {
  static_assert(alignof(T) <= 128);
  return *reinterpret_cast<T*>(shared_bytes());
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
