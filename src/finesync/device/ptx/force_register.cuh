// SPDX-License-Identifier: Apache-2.0
// Makes the assembler keep a value in a register. It recomputes what it can, and that is not always
// cheaper. A shared-memory address needs a special register with a latency of some 20 cycles; a
// constant needs an instruction at each use. The assembler cannot see through a shuffle.
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/device/warp.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// All lanes of a warp call these together.
/// \returns the value, in a register of its own.
template <class Type>
__device__ __forceinline__ Type force_register(Type value) {
#ifndef FINESYNC_HOST_EXECUTOR
  value = __shfl_sync(0xffffffffu, value, static_cast<int>(lane_id()));
#endif
  return value;
}
template <class Type>
__device__ __forceinline__ Type* force_register(Type* pointer) {
  return reinterpret_cast<Type*>(force_register(reinterpret_cast<std::uintptr_t>(pointer)));
}

/// The same object through a kept address. \param object in the block's own shared memory.
template <class Type>
__device__ __forceinline__ Type& force_address_register(Type& object) {
#ifdef FINESYNC_HOST_EXECUTOR
  return object;
#else
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&object));
  return *static_cast<Type*>(__cvta_shared_to_generic(force_register(address)));
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
