// SPDX-License-Identifier: Apache-2.0
// The host executor's part of buffer.cuh.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/owner_label.hpp"
#include "finesync/host/stream.cuh"

#ifdef FINESYNC_HOST_EXECUTOR

#include <simt/arena.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

inline void require_free(std::size_t bytes) {
  try {
    simt::global_memory().require(bytes);
  } catch (const simt::out_of_memory& why) {
    throw device_memory_error(why.what());
  }
}
inline void* device_allocate(std::size_t bytes, const memory_label& what) {
  require_free(bytes);
  simt::label label{what.owner.name, what.type, what.element_bytes};
  if (what.owner.object != nullptr) {
    label.object = [of = what.owner](std::size_t offset) { return object_text(of, offset); };
    label.state = [of = what.owner](std::uint64_t seen, std::uint64_t wanted) {
      return state_text(of, seen, wanted);
    };
  }
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
