// SPDX-License-Identifier: Apache-2.0
// A message of 128 bits, read and written in one access.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/ptx/do_not_optimize.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Two 64-bit halves. A 16-byte *vector* access (ld.v4.u32) is four accesses and may tear, so that
/// a flag in the last word can arrive before the rest. The .b128 access used here cannot tear (PTX
/// ISA 8.3, sm_70 and later).
struct alignas(16) message_128 {
  std::uint64_t low;
  std::uint64_t high;
};

/// As load_message(), for a thread with other work during the load. The access stays a single one
/// only if the result goes to keep_128_bits(): at once, or after the loop that polls for it, as the
/// poll that ends the loop may be any of them.
template <scope Scope = scope::device>
__device__ __forceinline__ message_128 begin_load_message(cell<message_128>& slot) {
  static_assert(Scope >= scope::device);
#ifdef FINESYNC_HOST_EXECUTOR
  return simt::from_word<message_128>(simt::perform(
      {.kind = simt::op_kind::load, .reach = Scope, .bytes = 16, .address = slot.address()}));
#else
  message_128 m;
  if constexpr (Scope == scope::device)
    asm volatile("{.reg .b128 t; ld.relaxed.gpu.b128 t, [%2]; mov.b128 {%0, %1}, t;}"
                 : "=l"(m.low), "=l"(m.high)
                 : "l"(&slot)
                 : "memory");
  else
    asm volatile("{.reg .b128 t; ld.relaxed.sys.b128 t, [%2]; mov.b128 {%0, %1}, t;}"
                 : "=l"(m.low), "=l"(m.high)
                 : "l"(&slot)
                 : "memory");
  return m;
#endif
}

/// Keeps the assembler from narrowing the load of the message. If one of the four 32-bit words is
/// unused, ptxas (CUDA 13.0) splits the load of the others in two. The message may change in
/// between, so it tears. Therefore this uses all four words.
__device__ __forceinline__ void keep_128_bits(const message_128& m) {
  do_not_optimize(static_cast<std::uint32_t>(m.low), static_cast<std::uint32_t>(m.low >> 32),
                  static_cast<std::uint32_t>(m.high), static_cast<std::uint32_t>(m.high >> 32));
}

/// Reads a message in global memory in one relaxed access of device (or system) scope, even if only
/// a part of it is used.
template <scope Scope = scope::device>
__device__ __forceinline__ message_128 load_message(cell<message_128>& slot) {
  const message_128 m = begin_load_message<Scope>(slot);
  keep_128_bits(m);
  return m;
}

/// Writes a message in global memory in one relaxed access of device (or system) scope. A reader
/// that recognises the message by its contents (an epoch in it) needs no other flag and no fence
/// for the message.
template <scope Scope = scope::device>
__device__ __forceinline__ void store_message(cell<message_128>& slot, const message_128& m) {
  static_assert(Scope >= scope::device);
#ifdef FINESYNC_HOST_EXECUTOR
  simt::perform({.kind = simt::op_kind::store,
                 .reach = Scope,
                 .bytes = 16,
                 .address = slot.address(),
                 .operand = simt::to_word(m)});
#else
  if constexpr (Scope == scope::device)
    asm volatile("{.reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.b128 [%0], t;}"
                 :
                 : "l"(&slot), "l"(m.low), "l"(m.high)
                 : "memory");
  else
    asm volatile("{.reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.sys.b128 [%0], t;}"
                 :
                 : "l"(&slot), "l"(m.low), "l"(m.high)
                 : "memory");
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
