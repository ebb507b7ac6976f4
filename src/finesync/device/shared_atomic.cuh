// SPDX-License-Identifier: Apache-2.0
// Atomics of block and cluster scope with shared-memory addresses. libcu++ addresses every atomic
// generically, which the assembler turns into an ATOM; with the state space in the instruction it
// is an ATOMS. libcu++ also has no cluster scope. PTX ISA, "atom", "ld", "st", "cvta"; CUDA only,
// used only by atomic_ref.
#pragma once

#include "finesync/device/memory_model.cuh"
#include "finesync/device/platform.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Whether `address` is in shared memory. If the compiler sees the object, as for members of
/// shared_storage() and for kernel arguments, the result is a constant and no instruction remains.
__device__ __forceinline__ bool is_shared(const void* address) {
  return __isShared(address) != 0;
}

/// The address within the block's own shared memory, or within that of all blocks of the cluster.
template <scope Scope, shared_owner Owner>
__device__ __forceinline__ std::uint32_t shared_address(const void* address) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (Scope == scope::cluster && Owner == shared_owner::any_block) {
    std::uint64_t within;
    asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(within) : "l"(address));
    return static_cast<std::uint32_t>(within);
  }
#endif
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(address));
}

/// One static function per operation and word type: `NAME(at, operand, order)`.
template <scope Scope, shared_owner Owner>
struct shared_atomics;

// The order is part of the instruction's name, so each order needs its own statement; the caller's
// order is a constant, so only one remains. A sequentially consistent access is a fence followed by
// the strongest other order.
#define FINESYNC_BY_ORDER(RELAXED, ACQUIRE, RELEASE, ACQ_REL)    \
  switch (order) {                                               \
    case memory_order::relaxed:                                  \
      RELAXED;                                                   \
      break;                                                     \
    case memory_order::acquire:                                  \
      ACQUIRE;                                                   \
      break;                                                     \
    case memory_order::release:                                  \
      RELEASE;                                                   \
      break;                                                     \
    case memory_order::acq_rel:                                  \
      ACQ_REL;                                                   \
      break;                                                     \
    default:                                                     \
      asm volatile("fence.sc." FINESYNC_REACH ";" ::: "memory"); \
      ACQ_REL;                                                   \
  }

// FINESYNC_REACH and FINESYNC_SPACE are defined below, before each instantiation.
#define FINESYNC_ATOM(ORDER, OPERATION, REGISTER)                                                 \
  asm volatile("atom." ORDER "." FINESYNC_REACH "." FINESYNC_SPACE "." OPERATION " %0, [%1], %2;" \
               : "=" REGISTER(old)                                                                \
               : "r"(at), REGISTER(operand)                                                       \
               : "memory")

// One read-modify-write; returns the previous value.
#define FINESYNC_SHARED_RMW(NAME, WORD, OPERATION, REGISTER)                  \
  __device__ __forceinline__ static WORD NAME(std::uint32_t at, WORD operand, \
                                              memory_order order) {           \
    WORD old;                                                                 \
    FINESYNC_BY_ORDER(FINESYNC_ATOM("relaxed", OPERATION, REGISTER),          \
                      FINESYNC_ATOM("acquire", OPERATION, REGISTER),          \
                      FINESYNC_ATOM("release", OPERATION, REGISTER),          \
                      FINESYNC_ATOM("acq_rel", OPERATION, REGISTER))          \
    return old;                                                               \
  }

// The same for operations that the hardware lacks, which are 64-bit arithmetic. ptxas writes a loop
// around a compare-exchange, and on sm_90 (CUDA 13.0) it omits the waits of a releasing operation.
// The release is therefore a separate fence; docs/library/compiler_traps.md, trap 4.
#define FINESYNC_SHARED_LOOP(NAME, WORD, OPERATION, REGISTER)                 \
  __device__ __forceinline__ static WORD NAME(std::uint32_t at, WORD operand, \
                                              memory_order order) {           \
    WORD old;                                                                 \
    if (order == memory_order::release || order == memory_order::acq_rel) {   \
      asm volatile("fence.acq_rel." FINESYNC_REACH ";" ::: "memory");         \
    }                                                                         \
    FINESYNC_BY_ORDER(FINESYNC_ATOM("relaxed", OPERATION, REGISTER),          \
                      FINESYNC_ATOM("acquire", OPERATION, REGISTER),          \
                      FINESYNC_ATOM("relaxed", OPERATION, REGISTER),          \
                      FINESYNC_ATOM("acquire", OPERATION, REGISTER))          \
    return old;                                                               \
  }

#define FINESYNC_CAS(ORDER, TYPE, REGISTER)                                     \
  asm volatile("atom." ORDER "." FINESYNC_REACH "." FINESYNC_SPACE ".cas." TYPE \
               " %0, [%1], %2, %3;"                                             \
               : "=" REGISTER(old)                                              \
               : "r"(at), REGISTER(expected), REGISTER(desired)                 \
               : "memory")

#define FINESYNC_LOAD(ORDER, TYPE, REGISTER)                                           \
  asm volatile("ld." ORDER "." FINESYNC_REACH "." FINESYNC_SPACE "." TYPE " %0, [%1];" \
               : "=" REGISTER(value)                                                   \
               : "r"(at)                                                               \
               : "memory")

#define FINESYNC_STORE(ORDER, TYPE, REGISTER)                                                     \
  asm volatile("st." ORDER "." FINESYNC_REACH "." FINESYNC_SPACE "." TYPE " [%0], %1;" ::"r"(at), \
               REGISTER(value)                                                                    \
               : "memory")

#define FINESYNC_SHARED_WORD(WORD, SIGNED, BITS, REGISTER, ARITHMETIC)                            \
  FINESYNC_SHARED_RMW(exchange, WORD, "exch.b" BITS, REGISTER)                                    \
  ARITHMETIC(fetch_add, WORD, "add.u" BITS, REGISTER)                                             \
  ARITHMETIC(fetch_and, WORD, "and.b" BITS, REGISTER)                                             \
  ARITHMETIC(fetch_or, WORD, "or.b" BITS, REGISTER)                                               \
  ARITHMETIC(fetch_xor, WORD, "xor.b" BITS, REGISTER)                                             \
  ARITHMETIC(fetch_min, WORD, "min.u" BITS, REGISTER)                                             \
  ARITHMETIC(fetch_max, WORD, "max.u" BITS, REGISTER)                                             \
  ARITHMETIC(fetch_min, SIGNED, "min.s" BITS, REGISTER)                                           \
  ARITHMETIC(fetch_max, SIGNED, "max.s" BITS, REGISTER)                                           \
  __device__ __forceinline__ static WORD compare_exchange(std::uint32_t at, WORD expected,        \
                                                          WORD desired, memory_order order) {     \
    WORD old;                                                                                     \
    FINESYNC_BY_ORDER(                                                                            \
        FINESYNC_CAS("relaxed", "b" BITS, REGISTER), FINESYNC_CAS("acquire", "b" BITS, REGISTER), \
        FINESYNC_CAS("release", "b" BITS, REGISTER), FINESYNC_CAS("acq_rel", "b" BITS, REGISTER)) \
    return old;                                                                                   \
  }                                                                                               \
  __device__ __forceinline__ static void load(std::uint32_t at, WORD& value,                      \
                                              memory_order order){FINESYNC_BY_ORDER(              \
      FINESYNC_LOAD("relaxed", "b" BITS, REGISTER), FINESYNC_LOAD("acquire", "b" BITS, REGISTER), \
      FINESYNC_LOAD("relaxed", "b" BITS, REGISTER),                                               \
      FINESYNC_LOAD("acquire", "b" BITS, REGISTER))} __device__ __forceinline__ static void       \
  store(std::uint32_t at, WORD value, memory_order order) {                                       \
    FINESYNC_BY_ORDER(FINESYNC_STORE("relaxed", "b" BITS, REGISTER),                              \
                      FINESYNC_STORE("relaxed", "b" BITS, REGISTER),                              \
                      FINESYNC_STORE("release", "b" BITS, REGISTER),                              \
                      FINESYNC_STORE("release", "b" BITS, REGISTER))                              \
  }

#define FINESYNC_SHARED_ATOMICS(SCOPE, HOME)                                           \
  template <>                                                                          \
  struct shared_atomics<SCOPE, HOME> {                                                 \
    FINESYNC_SHARED_WORD(std::uint32_t, std::int32_t, "32", "r", FINESYNC_SHARED_RMW)  \
    FINESYNC_SHARED_WORD(std::uint64_t, std::int64_t, "64", "l", FINESYNC_SHARED_LOOP) \
  };

#define FINESYNC_REACH "cta"
#define FINESYNC_SPACE "shared"
FINESYNC_SHARED_ATOMICS(scope::block, shared_owner::own_block)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // before, a block is its own cluster
#undef FINESYNC_REACH
#define FINESYNC_REACH "cluster"
#endif
FINESYNC_SHARED_ATOMICS(scope::cluster, shared_owner::own_block)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#undef FINESYNC_SPACE
#define FINESYNC_SPACE "shared::cluster"
#endif
FINESYNC_SHARED_ATOMICS(scope::cluster, shared_owner::any_block)

#undef FINESYNC_SPACE
#undef FINESYNC_REACH
#undef FINESYNC_SHARED_ATOMICS
#undef FINESYNC_SHARED_WORD
#undef FINESYNC_STORE
#undef FINESYNC_LOAD
#undef FINESYNC_CAS
#undef FINESYNC_SHARED_LOOP
#undef FINESYNC_SHARED_RMW
#undef FINESYNC_ATOM
#undef FINESYNC_BY_ORDER

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI

#endif
