// SPDX-License-Identifier: Apache-2.0
// CUDA's own atomic functions and fences, for kernels on the host executor. As on a GPU the
// functions are relaxed, and of device scope unless their names say otherwise. Always inlined,
// because reports name the calling line.
#pragma once

#include <simt/cuda_names.hpp>

#include <type_traits>

namespace simt {

/// What a Type in memory holds: itself, or the value of a cell.
template <class Type>
struct held {
  using type = Type;
};
template <class Type>
requires requires {
  typename Type::value_type;
}
struct held<Type> {
  using type = typename Type::value_type;
};
template <class Type>
using held_t = typename held<Type>::type;

template <class Type>
__forceinline__ held_t<Type> atomic_access(op_kind kind, scope reach, Type* address,
                                           held_t<Type> operand, held_t<Type> expected = {}) {
  using value = held_t<Type>;
  static_assert(std::is_arithmetic_v<value> && (sizeof(value) == 4 || sizeof(value) == 8),
                "the host executor has CUDA's atomic functions for numbers of 32 and 64 bits");
  return from_word<value>(perform({.kind = kind,
                                   .reach = reach,
                                   .bytes = sizeof(value),
                                   .is_signed = std::is_signed_v<value>,
                                   .address = address,
                                   .operand = to_word(operand),
                                   .expected = to_word(expected)}));
}

template <op_kind Kind, class Type>
__forceinline__ held_t<Type> atomic_fetch(scope reach, Type* address, held_t<Type> operand) {
  static_assert(std::is_integral_v<held_t<Type>>,
                "the host executor has this atomic function for integers");
  return atomic_access(Kind, reach, address, operand);
}

template <class Type>
__forceinline__ held_t<Type> atomic_exchange(scope reach, Type* address, held_t<Type> desired) {
  return atomic_access(op_kind::exchange, reach, address, desired);
}

template <class Type>
__forceinline__ held_t<Type> atomic_compare_exchange(scope reach, Type* address,
                                                     held_t<Type> expected, held_t<Type> desired) {
  return atomic_access(op_kind::compare_exchange, reach, address, desired, expected);
}

/// Replaces the value by change(value), in a loop. \returns the old value.
template <class Type, class Change>
__forceinline__ held_t<Type> atomic_change(scope reach, Type* address, Change change) {
  held_t<Type> old = atomic_access(op_kind::load, reach, address, {});
  for (;;) {
    const held_t<Type> found = atomic_compare_exchange(reach, address, old, change(old));
    if (to_word(found) == to_word(old)) return old;
    old = found;
  }
}

template <class Type>
__forceinline__ held_t<Type> atomic_add(scope reach, Type* address, held_t<Type> value) {
  if constexpr (std::is_integral_v<held_t<Type>>) {
    return atomic_fetch<op_kind::fetch_add>(reach, address, value);
  } else {
    return atomic_change(reach, address, [value](held_t<Type> old) { return old + value; });
  }
}

template <class Type>
__forceinline__ held_t<Type> atomic_subtract(scope reach, Type* address, held_t<Type> value) {
  return atomic_add(reach, address, static_cast<held_t<Type>>(held_t<Type>{} - value));
}

/// Counts to `last`, and from there to 0.
template <class Type>
__forceinline__ held_t<Type> atomic_increment(scope reach, Type* address, held_t<Type> last) {
  return atomic_change(reach, address,
                       [last](held_t<Type> old) { return old >= last ? 0 : old + 1; });
}

template <class Type>
__forceinline__ held_t<Type> atomic_decrement(scope reach, Type* address, held_t<Type> last) {
  return atomic_change(
      reach, address, [last](held_t<Type> old) { return old == 0 || old > last ? last : old - 1; });
}

}  // namespace simt

#define FINESYNC_CUDA_ATOMIC(name, ...)                                 \
  template <class Type, class... Values>                                \
  __forceinline__ auto name(Type* address, Values... values) {          \
    return __VA_ARGS__(simt::scope::device, address, values...);        \
  }                                                                     \
  template <class Type, class... Values>                                \
  __forceinline__ auto name##_block(Type* address, Values... values) {  \
    return __VA_ARGS__(simt::scope::block, address, values...);         \
  }                                                                     \
  template <class Type, class... Values>                                \
  __forceinline__ auto name##_system(Type* address, Values... values) { \
    return __VA_ARGS__(simt::scope::system, address, values...);        \
  }
FINESYNC_CUDA_ATOMIC(atomicAdd, simt::atomic_add)
FINESYNC_CUDA_ATOMIC(atomicSub, simt::atomic_subtract)
FINESYNC_CUDA_ATOMIC(atomicExch, simt::atomic_exchange)
FINESYNC_CUDA_ATOMIC(atomicCAS, simt::atomic_compare_exchange)
FINESYNC_CUDA_ATOMIC(atomicInc, simt::atomic_increment)
FINESYNC_CUDA_ATOMIC(atomicDec, simt::atomic_decrement)
FINESYNC_CUDA_ATOMIC(atomicMin, simt::atomic_fetch<simt::op_kind::fetch_min>)
FINESYNC_CUDA_ATOMIC(atomicMax, simt::atomic_fetch<simt::op_kind::fetch_max>)
FINESYNC_CUDA_ATOMIC(atomicAnd, simt::atomic_fetch<simt::op_kind::fetch_and>)
FINESYNC_CUDA_ATOMIC(atomicOr, simt::atomic_fetch<simt::op_kind::fetch_or>)
FINESYNC_CUDA_ATOMIC(atomicXor, simt::atomic_fetch<simt::op_kind::fetch_xor>)
#undef FINESYNC_CUDA_ATOMIC

namespace simt {

template <scope Reach>
__forceinline__ void full_fence() {
  perform({.kind = op_kind::fence, .order = memory_order::seq_cst, .reach = Reach});
}

}  // namespace simt

__forceinline__ void __threadfence_block() {
  simt::full_fence<simt::scope::block>();
}
__forceinline__ void __threadfence() {
  simt::full_fence<simt::scope::device>();
}
__forceinline__ void __threadfence_system() {
  simt::full_fence<simt::scope::system>();
}
