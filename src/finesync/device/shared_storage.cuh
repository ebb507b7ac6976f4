// SPDX-License-Identifier: Apache-2.0
// The shared memory of a kernel, as one struct.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The block's shared memory of launch_shape::shared_bytes bytes, for kernels that lay it out at
/// run time. Aligned to 128 bytes.
__device__ __forceinline__ unsigned char* shared_bytes() {
#ifdef FINESYNC_HOST_EXECUTOR
  return reinterpret_cast<unsigned char*>(simt::shared_storage());
#else
  extern __shared__ __align__(128) unsigned char finesync_shared_bytes[];
  return finesync_shared_bytes;
#endif
}

/// The same object through an address that is kept in a register. Otherwise nvcc recomputes the
/// address at every use, from a special register whose read costs a loop some twenty cycles.
template <class Type>
__device__ __forceinline__ Type* force_shared_address(Type* shared) {
#ifdef FINESYNC_HOST_EXECUTOR
  return shared;
#else
  auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("" : "+r"(address));
  return static_cast<Type*>(__cvta_shared_to_generic(address));
#endif
}

/// The block's shared memory as a Type. A kernel has one Type, named once here and once as
/// launch_shape::shared_bytes = sizeof(Type). Its contents are undefined at the start; members that
/// several threads use are cells.
template <class Type>
__device__ __forceinline__ Type& shared_storage() {
  static_assert(alignof(Type) <= 128);
  return *reinterpret_cast<Type*>(shared_bytes());
}

}  // namespace finesync::inline FINESYNC_ABI
