// A message of 128 bits that is read and written whole.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"

#include <cstdint>

namespace finesync {

/// Two 64-bit halves. A 16-byte *vector* access (ld.v4.u32) is four accesses and may tear, so that
/// a flag in the last word can arrive before the rest; the .b128 access used here cannot (PTX
/// ISA 8.3, sm_70 and later).
struct alignas(16) message {
  std::uint64_t low;
  std::uint64_t high;
};

/// Reads a message in global memory in one relaxed access of device scope.
__device__ __forceinline__ message load_message(cell<message>& slot) {
#ifdef FINESYNC_HOST_EXECUTOR
  return simt::from_word<message>(
      simt::perform({.kind = simt::op_kind::load, .bytes = 16, .address = slot.address()}));
#else
  message m;
  asm volatile("{.reg .b128 t; ld.relaxed.gpu.b128 t, [%2]; mov.b128 {%0, %1}, t;}"
               : "=l"(m.low), "=l"(m.high)
               : "l"(&slot)
               : "memory");
  return m;
#endif
}

/// Writes a message in global memory in one relaxed access of device scope. A reader that
/// recognises the message by its contents (an epoch in it) needs no other flag and no fence for the
/// message.
__device__ __forceinline__ void store_message(cell<message>& slot, const message& m) {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::perform({.kind = simt::op_kind::store,
                 .bytes = 16,
                 .address = slot.address(),
                 .operand = simt::to_word(m)});
#else
  asm volatile("{.reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.b128 [%0], t;}"
               :
               : "l"(&slot), "l"(m.low), "l"(m.high)
               : "memory");
#endif
}

}  // namespace finesync
