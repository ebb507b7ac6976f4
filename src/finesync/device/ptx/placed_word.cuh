// SPDX-License-Identifier: Apache-2.0
// A word in a state space that its type names, for kernels that study single instructions (PTX ISA,
// "atom", "red", "ld", "st"). Each operation is one instruction of that space, such as ATOMG, REDG
// or ATOMS, with what its order adds. atomic_ref addresses device memory generically: its ATOM
// always waits for a result, and with 64 bits it is a loop (global_atomic_ref.cuh).
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/shared_atomic.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Device memory, the caller's shared memory, or that of another block of its cluster.
enum class state_space : unsigned { global, shared, other_block };

/// A read-modify-write of one operand. Minimum and maximum are those of unsigned numbers.
enum class modification : unsigned { add, min, max, bit_and, bit_or, bit_xor, exchange };

/// \tparam Word 32 or 64 bits, unsigned. Modifications of another block's words: 32 bits, as in
///   cluster.cuh.
/// \tparam Scope block for shared memory, cluster for that of another block.
template <class Word, state_space Space, scope Scope>
class placed_word {
  static_assert(Space != state_space::shared || Scope == scope::block);
  static_assert(Space != state_space::other_block || Scope == scope::cluster);

 public:
  /// \param target in that space.
  __device__ __forceinline__ explicit placed_word(cell<Word>& target) : target_(&target) {}

#ifdef FINESYNC_HOST_EXECUTOR
  template <memory_order Order>
  __forceinline__ Word load() const {
    return ref().load(Order);
  }
  __forceinline__ Word load_plain() const {
    return *target_;
  }
  template <memory_order Order>
  __forceinline__ void store(Word value) const {
    ref().store(value, Order);
  }
  __forceinline__ void store_plain(Word value) const {
    *target_ = value;
  }
  template <modification Kind, memory_order Order>
  __forceinline__ Word fetch(Word operand) const {
    if constexpr (Kind == modification::add) return ref().fetch_add(operand, Order);
    if constexpr (Kind == modification::min) return ref().fetch_min(operand, Order);
    if constexpr (Kind == modification::max) return ref().fetch_max(operand, Order);
    if constexpr (Kind == modification::bit_and) return ref().fetch_and(operand, Order);
    if constexpr (Kind == modification::bit_or) return ref().fetch_or(operand, Order);
    if constexpr (Kind == modification::bit_xor) return ref().fetch_xor(operand, Order);
    if constexpr (Kind == modification::exchange) return ref().exchange(operand, Order);
  }
  template <modification Kind>
  __forceinline__ void modify(Word operand) const {
    fetch<Kind, memory_order::relaxed>(operand);
  }
  template <memory_order Order>
  __forceinline__ Word compare_exchange(Word expected, Word desired) const {
    ref().compare_exchange(expected, desired, Order);
    return expected;
  }

 private:
  __forceinline__ atomic_ref<Word, Scope> ref() const {
    return atomic_ref<Word, Scope>(*target_);
  }
#else

// Before sm_90 a block is its own cluster.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FINESYNC_CLUSTER "cluster"
#define FINESYNC_OTHER_BLOCK "shared::cluster"
#else
#define FINESYNC_CLUSTER "cta"
#define FINESYNC_OTHER_BLOCK "shared"
#endif

// Words of an instruction's name are literals: a statement for each, and the compiler takes one.
#define FINESYNC_BY_PLACE(ISSUE, ...)                           \
  if constexpr (Space == state_space::shared) {                 \
    ISSUE("cta", "shared", __VA_ARGS__);                        \
  } else if constexpr (Space == state_space::other_block) {     \
    ISSUE(FINESYNC_CLUSTER, FINESYNC_OTHER_BLOCK, __VA_ARGS__); \
  } else if constexpr (Scope == scope::block) {                 \
    ISSUE("cta", "global", __VA_ARGS__);                        \
  } else if constexpr (Scope == scope::cluster) {               \
    ISSUE(FINESYNC_CLUSTER, "global", __VA_ARGS__);             \
  } else if constexpr (Scope == scope::device) {                \
    ISSUE("gpu", "global", __VA_ARGS__);                        \
  } else {                                                      \
    ISSUE("sys", "global", __VA_ARGS__);                        \
  }

#define FINESYNC_BY_ORDER(ISSUE, ...)                    \
  if constexpr (Order == memory_order::relaxed) {        \
    FINESYNC_BY_PLACE(ISSUE, "relaxed", __VA_ARGS__)     \
  } else if constexpr (Order == memory_order::acquire) { \
    FINESYNC_BY_PLACE(ISSUE, "acquire", __VA_ARGS__)     \
  } else if constexpr (Order == memory_order::release) { \
    FINESYNC_BY_PLACE(ISSUE, "release", __VA_ARGS__)     \
  } else {                                               \
    static_assert(Order == memory_order::acq_rel);       \
    FINESYNC_BY_PLACE(ISSUE, "acq_rel", __VA_ARGS__)     \
  }

#define FINESYNC_BY_KIND(WITH, BITS, ...)               \
  if constexpr (Kind == modification::add) {            \
    WITH(__VA_ARGS__, "add.u" BITS)                     \
  } else if constexpr (Kind == modification::min) {     \
    WITH(__VA_ARGS__, "min.u" BITS)                     \
  } else if constexpr (Kind == modification::max) {     \
    WITH(__VA_ARGS__, "max.u" BITS)                     \
  } else if constexpr (Kind == modification::bit_and) { \
    WITH(__VA_ARGS__, "and.b" BITS)                     \
  } else if constexpr (Kind == modification::bit_or) {  \
    WITH(__VA_ARGS__, "or.b" BITS)                      \
  } else if constexpr (Kind == modification::bit_xor) { \
    WITH(__VA_ARGS__, "xor.b" BITS)                     \
  }

#define FINESYNC_BY_WIDTH(WITH, ...) \
  if constexpr (sizeof(Word) == 4) { \
    WITH(__VA_ARGS__, "r", "b32")    \
  } else {                           \
    WITH(__VA_ARGS__, "l", "b64")    \
  }

#define FINESYNC_ATOM(REACH, SPACE, ORDER, REGISTER, OPERATION)                 \
  asm volatile("atom." ORDER "." REACH "." SPACE "." OPERATION " %0, [%1], %2;" \
               : "=" REGISTER(value)                                            \
               : "l"(address()), REGISTER(operand)                              \
               : "memory")
#define FINESYNC_EXCHANGE(REACH, SPACE, ORDER, REGISTER, TYPE) \
  FINESYNC_ATOM(REACH, SPACE, ORDER, REGISTER, "exch." TYPE)
#define FINESYNC_RED(REACH, SPACE, REGISTER, OPERATION)                                    \
  asm volatile("red.relaxed." REACH "." SPACE "." OPERATION " [%0], %1;" ::"l"(address()), \
               REGISTER(operand)                                                           \
               : "memory")
#define FINESYNC_CAS(REACH, SPACE, ORDER, REGISTER, TYPE)                          \
  asm volatile("atom." ORDER "." REACH "." SPACE ".cas." TYPE " %0, [%1], %2, %3;" \
               : "=" REGISTER(value)                                               \
               : "l"(address()), REGISTER(expected), REGISTER(desired)             \
               : "memory")
#define FINESYNC_LOAD(REACH, SPACE, ORDER, REGISTER, TYPE)           \
  asm volatile("ld." ORDER "." REACH "." SPACE "." TYPE " %0, [%1];" \
               : "=" REGISTER(value)                                 \
               : "l"(address())                                      \
               : "memory")
#define FINESYNC_LOAD_PLAIN(REACH, SPACE, REGISTER, TYPE) \
  asm volatile("ld.weak." SPACE "." TYPE " %0, [%1];"     \
               : "=" REGISTER(value)                      \
               : "l"(address())                           \
               : "memory")
#define FINESYNC_STORE(REACH, SPACE, ORDER, REGISTER, TYPE)                            \
  asm volatile("st." ORDER "." REACH "." SPACE "." TYPE " [%0], %1;" ::"l"(address()), \
               REGISTER(value)                                                         \
               : "memory")
#define FINESYNC_STORE_PLAIN(REACH, SPACE, REGISTER, TYPE) \
  asm volatile("st." SPACE "." TYPE " [%0], %1;" ::"l"(address()), REGISTER(value) : "memory")

  /// relaxed or acquire
  template <memory_order Order>
  __device__ __forceinline__ Word load() const {
    static_assert(Order == memory_order::relaxed || Order == memory_order::acquire);
    Word value;
    if constexpr (Order == memory_order::relaxed) {
      FINESYNC_BY_WIDTH(FINESYNC_BY_PLACE, FINESYNC_LOAD, "relaxed")
    } else {
      FINESYNC_BY_WIDTH(FINESYNC_BY_PLACE, FINESYNC_LOAD, "acquire")
    }
    return value;
  }
  /// An ordinary load, which nothing moves or leaves out.
  __device__ __forceinline__ Word load_plain() const {
    Word value;
    FINESYNC_BY_WIDTH(FINESYNC_BY_PLACE, FINESYNC_LOAD_PLAIN)
    return value;
  }
  /// relaxed or release
  template <memory_order Order>
  __device__ __forceinline__ void store(Word value) const {
    static_assert(Order == memory_order::relaxed || Order == memory_order::release);
    if constexpr (Order == memory_order::relaxed) {
      FINESYNC_BY_WIDTH(FINESYNC_BY_PLACE, FINESYNC_STORE, "relaxed")
    } else {
      FINESYNC_BY_WIDTH(FINESYNC_BY_PLACE, FINESYNC_STORE, "release")
    }
  }
  __device__ __forceinline__ void store_plain(Word value) const {
    FINESYNC_BY_WIDTH(FINESYNC_BY_PLACE, FINESYNC_STORE_PLAIN)
  }
  /// \returns the value before.
  template <modification Kind, memory_order Order>
  __device__ __forceinline__ Word fetch(Word operand) const {
    Word value;
    if constexpr (Kind == modification::exchange) {
      FINESYNC_BY_WIDTH(FINESYNC_BY_ORDER, FINESYNC_EXCHANGE)
    } else if constexpr (sizeof(Word) == 4) {
      FINESYNC_BY_KIND(FINESYNC_BY_ORDER, "32", FINESYNC_ATOM, "r")
    } else {
      FINESYNC_BY_KIND(FINESYNC_BY_ORDER, "64", FINESYNC_ATOM, "l")
    }
    return value;
  }
  /// The same, relaxed, without a result: the thread does not wait. Not for an exchange.
  template <modification Kind>
  __device__ __forceinline__ void modify(Word operand) const {
    static_assert(Kind != modification::exchange);
    if constexpr (sizeof(Word) == 4) {
      FINESYNC_BY_KIND(FINESYNC_BY_PLACE, "32", FINESYNC_RED, "r")
    } else {
      FINESYNC_BY_KIND(FINESYNC_BY_PLACE, "64", FINESYNC_RED, "l")
    }
  }
  /// \returns the value before: `expected` if the word is `desired` now.
  template <memory_order Order>
  __device__ __forceinline__ Word compare_exchange(Word expected, Word desired) const {
    Word value;
    FINESYNC_BY_WIDTH(FINESYNC_BY_ORDER, FINESYNC_CAS)
    return value;
  }

#undef FINESYNC_STORE_PLAIN
#undef FINESYNC_STORE
#undef FINESYNC_LOAD_PLAIN
#undef FINESYNC_LOAD
#undef FINESYNC_CAS
#undef FINESYNC_RED
#undef FINESYNC_EXCHANGE
#undef FINESYNC_ATOM
#undef FINESYNC_BY_WIDTH
#undef FINESYNC_BY_KIND
#undef FINESYNC_BY_ORDER
#undef FINESYNC_BY_PLACE
#undef FINESYNC_OTHER_BLOCK
#undef FINESYNC_CLUSTER

 private:
  /// In its space.
  __device__ __forceinline__ std::uint64_t address() const {
    if constexpr (Space == state_space::global)
      return static_cast<std::uint64_t>(__cvta_generic_to_global(target_));
    constexpr auto owner =
        Space == state_space::shared ? shared_owner::own_block : shared_owner::any_block;
    return detail::shared_address<Scope, owner>(target_);
  }
#endif

  cell<Word>* target_;
};

}  // namespace finesync::inline FINESYNC_ABI
