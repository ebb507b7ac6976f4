// SPDX-License-Identifier: Apache-2.0
// The host executor's part of buffer.cuh.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/stream.cuh"

#ifdef FINESYNC_HOST_EXECUTOR

#include <simt/arena.hpp>

#include <cstddef>
#include <cstring>
#include <typeinfo>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

inline void require_free(std::size_t bytes) {
  try {
    simt::global_memory().require(bytes);
  } catch (const simt::out_of_memory& why) {
    throw device_memory_error(why.what());
  }
}
/// What reports call memory.
using memory_label = simt::label;
template <class Type>
memory_label label_of(const char* name) {
  return {name == nullptr ? "" : name, &typeid(Type), sizeof(Type)};
}
inline void* device_allocate(std::size_t bytes, const memory_label& label) {
  require_free(bytes);
  return simt::global_memory().allocate(bytes, label);
}
inline void device_free(void* memory) noexcept {
  simt::global_memory().release(memory);
}
inline void device_fill(void* memory, int byte, std::size_t bytes, const stream& /*on*/) {
  std::memset(memory, byte, bytes);
}
inline void device_copy(void* to, const void* from, std::size_t bytes, const stream& /*on*/) {
  std::memcpy(to, from, bytes);
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI

#endif
