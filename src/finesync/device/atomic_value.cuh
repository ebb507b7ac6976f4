// SPDX-License-Identifier: Apache-2.0
// atomic_ref of types that are not integers, as far as hardware has their accesses: float, double
// and enumerations of 32 and 64 bits, and bool and enumerations of one byte.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

template <class Type>
concept kept_as_word = (std::is_floating_point_v<Type> ||
                        std::is_enum_v<Type>)&&(sizeof(Type) == 4 || sizeof(Type) == 8);
template <class Type>
concept kept_as_byte = (std::is_same_v<Type, bool> || std::is_enum_v<Type>)&&sizeof(Type) == 1;

/// The same bytes as another type.
template <class To, class From>
__device__ __forceinline__ To same_bytes(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

#ifndef FINESYNC_HOST_EXECUTOR

// cuda::atomic_ref stores a byte by a compare-exchange of the word around it.
#define FINESYNC_BYTE(REACH)                                                                   \
  if constexpr (IsStore) {                                                                     \
    asm volatile("st.relaxed." REACH ".u8 [%0], %1;" ::"l"(address), "r"(value) : "memory");   \
  } else {                                                                                     \
    asm volatile("ld.relaxed." REACH ".u8 %0, [%1];" : "=r"(value) : "l"(address) : "memory"); \
  }
template <scope Scope, bool IsStore>
__device__ __forceinline__ void access_byte(void* address, std::uint32_t& value) {
  if constexpr (Scope == scope::block) {
    FINESYNC_BYTE("cta")
  } else if constexpr (Scope == scope::device) {
    FINESYNC_BYTE("gpu")
  } else {
    FINESYNC_BYTE("sys")
  }
}
#undef FINESYNC_BYTE

// Through a pointer that may refer to shared memory too, an addition would be an instruction that
// may fail there, followed by a loop.
#define FINESYNC_ADD(TYPE, BITS, REGISTER)                                         \
  template <scope Scope>                                                           \
  __device__ __forceinline__ TYPE add_in_device_memory(TYPE* target, TYPE value) { \
    const std::size_t address = __cvta_generic_to_global(target);                  \
    TYPE old;                                                                      \
    if constexpr (Scope == scope::device) {                                        \
      asm volatile("atom.relaxed.gpu.global.add." BITS " %0, [%1], %2;"            \
                   : "=" REGISTER(old)                                             \
                   : "l"(address), REGISTER(value)                                 \
                   : "memory");                                                    \
    } else {                                                                       \
      asm volatile("atom.relaxed.sys.global.add." BITS " %0, [%1], %2;"            \
                   : "=" REGISTER(old)                                             \
                   : "l"(address), REGISTER(value)                                 \
                   : "memory");                                                    \
    }                                                                              \
    return old;                                                                    \
  }
FINESYNC_ADD(float, "f32", "f")
FINESYNC_ADD(double, "f64", "d")
#undef FINESYNC_ADD

#endif

}  // namespace detail

/// By the accesses of an integer of the same size.
template <class Type, scope Scope, shared_owner Owner>
requires detail::kept_as_word<Type>
class atomic_ref<Type, Scope, Owner> {
  using word = std::conditional_t<sizeof(Type) == 4, std::uint32_t, std::uint64_t>;
  static constexpr bool modified = detail::modifies<Type, Scope>;

 public:
  __device__ explicit atomic_ref(cell<Type>& target) : target_(&target) {}

  __device__ __forceinline__ Type load(memory_order order) const {
    return detail::same_bytes<Type>(bits().load(order));
  }
  __device__ __forceinline__ void store(Type value, memory_order order) const {
    bits().store(detail::same_bytes<word>(value), order);
  }
  __device__ __forceinline__ Type exchange(Type value, memory_order order) const requires modified {
    return detail::same_bytes<Type>(bits().exchange(detail::same_bytes<word>(value), order));
  }
  /// Compares bytes: 0.0 and -0.0 differ, and a NaN equals itself.
  __device__ __forceinline__ bool compare_exchange(Type& expected, Type desired,
                                                   memory_order order) const requires modified {
    word found = detail::same_bytes<word>(expected);
    const bool success = bits().compare_exchange(found, detail::same_bytes<word>(desired), order);
    expected = detail::same_bytes<Type>(found);
    return success;
  }
  /// The order of additions, and so the rounding of a sum, differs from run to run. A GPU treats
  /// subnormal floats as 0.
  __device__ __forceinline__ Type fetch_add(Type value, memory_order order) const {
    constexpr bool adds =
        std::is_floating_point_v<Type> && (Scope == scope::device || Scope == scope::system);
    static_assert(adds,
                  "hardware adds integers, and float and double in device memory: take device or "
                  "system scope");
    if constexpr (adds) {
#ifdef FINESYNC_HOST_EXECUTOR
      Type old = load(memory_order::relaxed);
      while (!compare_exchange(old, old + value, order)) {
      }
      return old;
#else
      if (order == memory_order::seq_cst) {
        fence<memory_order::seq_cst, Scope>();
      } else if (order == memory_order::release || order == memory_order::acq_rel) {
        fence<memory_order::release, Scope>();
      }
      const Type old = detail::add_in_device_memory<Scope>(target_, value);
      if (order != memory_order::relaxed && order != memory_order::release)
        fence<memory_order::acquire, Scope>();
      return old;
#endif
    }
  }

 private:
  __device__ __forceinline__ atomic_ref<word, Scope, Owner> bits() const {
    return atomic_ref<word, Scope, Owner>(reinterpret_cast<cell<word>&>(*target_));
  }

  cell<Type>* target_;
};

/// Loads and stores alone.
template <class Type, scope Scope, shared_owner Owner>
requires detail::kept_as_byte<Type>
class atomic_ref<Type, Scope, Owner> {
  static_assert(Scope != scope::cluster, "no bytes in a cluster: keep the value in 32 bits");

 public:
  __device__ explicit atomic_ref(cell<Type>& target) : target_(&target) {}

#ifdef FINESYNC_HOST_EXECUTOR
  __forceinline__ Type load(memory_order order) const {
    return simt::from_word<Type>(perform(simt::op_kind::load, order, {}));
  }
  __forceinline__ void store(Type value, memory_order order) const {
    perform(simt::op_kind::store, order, simt::to_word(value));
  }
#else
  __device__ Type load(memory_order order) const {
    if (order == memory_order::seq_cst) fence<memory_order::seq_cst, Scope>();
    std::uint32_t value;
    detail::access_byte<Scope, false>(target_, value);
    if (order != memory_order::relaxed) fence<memory_order::acquire, Scope>();
    return detail::same_bytes<Type>(static_cast<std::uint8_t>(value));
  }
  __device__ void store(Type value, memory_order order) const {
    if (order == memory_order::seq_cst) {
      fence<memory_order::seq_cst, Scope>();
    } else if (order != memory_order::relaxed) {
      fence<memory_order::release, Scope>();
    }
    std::uint32_t byte = detail::same_bytes<std::uint8_t>(value);
    detail::access_byte<Scope, true>(target_, byte);
  }
#endif
  __device__ Type exchange(Type value, memory_order) const {
    static_assert(sizeof(Type) == 4, "hardware only loads and stores bytes: keep it in 32 bits");
    return value;
  }
  __device__ bool compare_exchange(Type&, Type, memory_order) const {
    static_assert(sizeof(Type) == 4, "hardware only loads and stores bytes: keep it in 32 bits");
    return false;
  }

 private:
#ifdef FINESYNC_HOST_EXECUTOR
  __forceinline__ simt::word perform(simt::op_kind kind, memory_order order,
                                     simt::word operand) const {
    return simt::perform({.kind = kind,
                          .order = order,
                          .reach = Scope,
                          .bytes = 1,
                          .address = target_->address(),
                          .operand = operand});
  }
#endif

  cell<Type>* target_;
};

}  // namespace finesync::inline FINESYNC_ABI
