// Values that the assembler is to keep. What it can compute again it does not keep, and computing
// is not always cheaper: the address of shared memory takes a special register of some 20 cycles'
// latency, a constant an instruction at each use. It cannot see through a shuffle.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// \param value the same in all lanes of the warp, which call this together.
/// \returns the same, in a register of its own.
__device__ __forceinline__ std::uint32_t kept_in_register(std::uint32_t value) {
#ifndef FINESYNC_HOST_EXECUTOR
  value = __shfl_sync(0xffffffffu, value, 0);
#endif
  return value;
}

/// The same object, by an address that is kept. \param object in the block's own shared memory.
template <class T>
__device__ __forceinline__ T& address_kept_in_register(T& object) {
#ifdef FINESYNC_HOST_EXECUTOR
  return object;
#else
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&object));
  return *static_cast<T*>(__cvta_shared_to_generic(kept_in_register(address)));
#endif
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
