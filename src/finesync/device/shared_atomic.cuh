// Block-scope atomics on shared memory, addressed as shared memory. libcu++ addresses every atomic
// generically, which the assembler makes an ATOM; with the space in the instruction it is an ATOMS.
// PTX ISA, "atom", "ld", "st"; CUDA only, for atomic_ref alone.
#pragma once

#include "finesync/device/memory_model.cuh"
#include "finesync/device/platform.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <cstdint>

namespace finesync::detail {

/// Whether `address` is in shared memory. Where the compiler sees what it points into, as for
/// members of shared_storage() and for kernel arguments, it knows the answer, and no instruction
/// remains.
__device__ __forceinline__ bool is_shared(const void* address) {
  return __isShared(address) != 0;
}

__device__ __forceinline__ std::uint32_t shared_address(const void* address) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(address));
}

// The order is part of the instruction's name, so each is a statement of its own; the caller's
// order is a constant, and one of them remains. A sequentially consistent access is a fence and
// then the strongest of the others.
#define FINESYNC_BY_ORDER(RELAXED, ACQUIRE, RELEASE, ACQ_REL) \
  switch (order) {                                            \
    case memory_order::relaxed:                               \
      RELAXED;                                                \
      break;                                                  \
    case memory_order::acquire:                               \
      ACQUIRE;                                                \
      break;                                                  \
    case memory_order::release:                               \
      RELEASE;                                                \
      break;                                                  \
    case memory_order::acq_rel:                               \
      ACQ_REL;                                                \
      break;                                                  \
    default:                                                  \
      asm volatile("fence.sc.cta;" ::: "memory");             \
      ACQ_REL;                                                \
  }

#define FINESYNC_ATOM(ORDER, OPERATION, REGISTER)                      \
  asm volatile("atom." ORDER ".cta.shared." OPERATION " %0, [%1], %2;" \
               : "=" REGISTER(old)                                     \
               : "r"(at), REGISTER(operand)                            \
               : "memory")

// `NAME(at, operand, order)`: one read-modify-write; returns the value before.
#define FINESYNC_SHARED_RMW(NAME, WORD, OPERATION, REGISTER)                                 \
  __device__ __forceinline__ WORD NAME(std::uint32_t at, WORD operand, memory_order order) { \
    WORD old;                                                                                \
    FINESYNC_BY_ORDER(FINESYNC_ATOM("relaxed", OPERATION, REGISTER),                         \
                      FINESYNC_ATOM("acquire", OPERATION, REGISTER),                         \
                      FINESYNC_ATOM("release", OPERATION, REGISTER),                         \
                      FINESYNC_ATOM("acq_rel", OPERATION, REGISTER))                         \
    return old;                                                                              \
  }

#define FINESYNC_CAS(ORDER, TYPE, REGISTER)                               \
  asm volatile("atom." ORDER ".cta.shared.cas." TYPE " %0, [%1], %2, %3;" \
               : "=" REGISTER(old)                                        \
               : "r"(at), REGISTER(expected), REGISTER(desired)           \
               : "memory")

#define FINESYNC_LOAD(ORDER, TYPE, REGISTER)                \
  asm volatile("ld." ORDER ".cta.shared." TYPE " %0, [%1];" \
               : "=" REGISTER(value)                        \
               : "r"(at)                                    \
               : "memory")

#define FINESYNC_STORE(ORDER, TYPE, REGISTER) \
  asm volatile("st." ORDER ".cta.shared." TYPE " [%0], %1;" ::"r"(at), REGISTER(value) : "memory")

#define FINESYNC_SHARED_WORD(WORD, SIGNED, BITS, REGISTER)                                        \
  FINESYNC_SHARED_RMW(shared_exchange, WORD, "exch.b" BITS, REGISTER)                             \
  FINESYNC_SHARED_RMW(shared_add, WORD, "add.u" BITS, REGISTER)                                   \
  FINESYNC_SHARED_RMW(shared_and, WORD, "and.b" BITS, REGISTER)                                   \
  FINESYNC_SHARED_RMW(shared_or, WORD, "or.b" BITS, REGISTER)                                     \
  FINESYNC_SHARED_RMW(shared_xor, WORD, "xor.b" BITS, REGISTER)                                   \
  FINESYNC_SHARED_RMW(shared_min, WORD, "min.u" BITS, REGISTER)                                   \
  FINESYNC_SHARED_RMW(shared_max, WORD, "max.u" BITS, REGISTER)                                   \
  FINESYNC_SHARED_RMW(shared_min, SIGNED, "min.s" BITS, REGISTER)                                 \
  FINESYNC_SHARED_RMW(shared_max, SIGNED, "max.s" BITS, REGISTER)                                 \
  __device__ __forceinline__ WORD shared_compare_exchange(std::uint32_t at, WORD expected,        \
                                                          WORD desired, memory_order order) {     \
    WORD old;                                                                                     \
    FINESYNC_BY_ORDER(                                                                            \
        FINESYNC_CAS("relaxed", "b" BITS, REGISTER), FINESYNC_CAS("acquire", "b" BITS, REGISTER), \
        FINESYNC_CAS("release", "b" BITS, REGISTER), FINESYNC_CAS("acq_rel", "b" BITS, REGISTER)) \
    return old;                                                                                   \
  }                                                                                               \
  __device__ __forceinline__ void shared_load(std::uint32_t at, WORD& value,                      \
                                              memory_order order){FINESYNC_BY_ORDER(              \
      FINESYNC_LOAD("relaxed", "b" BITS, REGISTER), FINESYNC_LOAD("acquire", "b" BITS, REGISTER), \
      FINESYNC_LOAD("relaxed", "b" BITS, REGISTER),                                               \
      FINESYNC_LOAD("acquire", "b" BITS, REGISTER))} __device__ __forceinline__ void              \
  shared_store(std::uint32_t at, WORD value, memory_order order) {                                \
    FINESYNC_BY_ORDER(FINESYNC_STORE("relaxed", "b" BITS, REGISTER),                              \
                      FINESYNC_STORE("relaxed", "b" BITS, REGISTER),                              \
                      FINESYNC_STORE("release", "b" BITS, REGISTER),                              \
                      FINESYNC_STORE("release", "b" BITS, REGISTER))                              \
  }

FINESYNC_SHARED_WORD(std::uint32_t, std::int32_t, "32", "r")
FINESYNC_SHARED_WORD(std::uint64_t, std::int64_t, "64", "l")

#undef FINESYNC_SHARED_WORD
#undef FINESYNC_STORE
#undef FINESYNC_LOAD
#undef FINESYNC_CAS
#undef FINESYNC_SHARED_RMW
#undef FINESYNC_ATOM
#undef FINESYNC_BY_ORDER

}  // namespace finesync::detail

#endif
