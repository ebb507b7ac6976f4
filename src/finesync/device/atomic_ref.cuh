// SPDX-License-Identifier: Apache-2.0
// Atomic access to a cell, with explicit order and scope at each use.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/shared_atomic.cuh"

#include <type_traits>

#ifndef FINESYNC_HOST_EXECUTOR
#include <cuda/atomic>

#include <cstdint>
#endif

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// Whether such words have read-modify-writes: not 64-bit words in a cluster (cluster.cuh).
template <class Type, scope Scope>
inline constexpr bool modifies = Scope != scope::cluster || sizeof(Type) == 4;

}  // namespace detail

#ifndef FINESYNC_HOST_EXECUTOR

namespace detail {

__host__ __device__ constexpr cuda::std::memory_order to_cuda(memory_order order) {
  switch (order) {
    case memory_order::relaxed:
      return cuda::std::memory_order_relaxed;
    case memory_order::acquire:
      return cuda::std::memory_order_acquire;
    case memory_order::release:
      return cuda::std::memory_order_release;
    case memory_order::acq_rel:
      return cuda::std::memory_order_acq_rel;
    default:
      return cuda::std::memory_order_seq_cst;
  }
}

__host__ __device__ constexpr cuda::thread_scope to_cuda(scope reach) {
  switch (reach) {
    case scope::block:
      return cuda::thread_scope_block;
    case scope::system:
      return cuda::thread_scope_system;
    default:
      return cuda::thread_scope_device;
  }
}

}  // namespace detail

/// The interface of cuda::atomic_ref. Under nvcc it is that class, with two exceptions, which use
/// shared_atomic.cuh: block scope on shared memory, where cuda::atomic_ref misses the cheaper
/// instructions, and cluster scope, which it lacks. Type is a 32- or 64-bit integer;
/// atomic_value.cuh adds other types. The access is atomic and ordered among the threads of
/// `Scope`. With scope::block, threads of other blocks must not access the cell while the kernel
/// runs. With scope::cluster, the cell is in the shared memory of any block of the cluster
/// (cluster.cuh); `Owner` tells whether it is the caller's own block.
template <class Type, scope Scope, shared_owner Owner = shared_owner::any_block>
class atomic_ref {
  static_assert(std::is_integral_v<Type> && (sizeof(Type) == 4 || sizeof(Type) == 8),
                "atomic_ref takes integers of 32 and 64 bits; device/atomic_value.cuh adds more");
  static constexpr bool modified = detail::modifies<Type, Scope>;
  using word = std::conditional_t<sizeof(Type) == 4, std::uint32_t, std::uint64_t>;
  using signed_word = std::conditional_t<sizeof(Type) == 4, std::int32_t, std::int64_t>;
  using ordered_word = std::conditional_t<std::is_signed_v<Type>, signed_word, word>;
  using shared =
      std::conditional_t<Scope == scope::cluster, detail::shared_atomics<scope::cluster, Owner>,
                         detail::shared_atomics<scope::block, shared_owner::own_block>>;

 public:
  __device__ explicit atomic_ref(cell<Type>& target) : target_(&target) {}

  /// Not to be accessed: for reports.
  __device__ const void* where() const { return target_; }

  __device__ Type load(memory_order order) const {
    if (!in_shared()) return ref().load(detail::to_cuda(order));
    word value;
    shared::load(address(), value, order);
    return static_cast<Type>(value);
  }
  __device__ void store(Type value, memory_order order) const {
    if (!in_shared()) return ref().store(value, detail::to_cuda(order));
    shared::store(address(), static_cast<word>(value), order);
  }
  __device__ Type exchange(Type value, memory_order order) const requires modified {
    if (is_plain(order)) return static_cast<Type>(atomicExch(plain(), value));
    if (!in_shared()) return ref().exchange(value, detail::to_cuda(order));
    return static_cast<Type>(shared::exchange(address(), static_cast<word>(value), order));
  }
  /// On failure `expected` receives the value found, read with relaxed order.
  __device__ bool compare_exchange(Type& expected, Type desired,
                                   memory_order order) const requires modified {
    if (!in_shared()) {
      return ref().compare_exchange_strong(expected, desired, detail::to_cuda(order),
                                           cuda::std::memory_order_relaxed);
    }
    const Type found = static_cast<Type>(shared::compare_exchange(
        address(), static_cast<word>(expected), static_cast<word>(desired), order));
    const bool success = found == expected;
    expected = found;
    return success;
  }
  __device__ Type fetch_add(Type value, memory_order order) const requires modified {
    if (is_plain(order)) return static_cast<Type>(atomicAdd(plain(), value));
    if (!in_shared()) return ref().fetch_add(value, detail::to_cuda(order));
    return static_cast<Type>(shared::fetch_add(address(), static_cast<word>(value), order));
  }
  __device__ Type fetch_and(Type value, memory_order order) const requires modified {
    if (!in_shared()) return ref().fetch_and(value, detail::to_cuda(order));
    return static_cast<Type>(shared::fetch_and(address(), static_cast<word>(value), order));
  }
  __device__ Type fetch_or(Type value, memory_order order) const requires modified {
    if (is_plain(order)) return static_cast<Type>(atomicOr(plain(), value));
    if (!in_shared()) return ref().fetch_or(value, detail::to_cuda(order));
    return static_cast<Type>(shared::fetch_or(address(), static_cast<word>(value), order));
  }
  __device__ Type fetch_xor(Type value, memory_order order) const requires modified {
    if (!in_shared()) return ref().fetch_xor(value, detail::to_cuda(order));
    return static_cast<Type>(shared::fetch_xor(address(), static_cast<word>(value), order));
  }
  __device__ Type fetch_min(Type value, memory_order order) const requires modified {
    if (!in_shared()) return ref().fetch_min(value, detail::to_cuda(order));
    return static_cast<Type>(shared::fetch_min(address(), static_cast<ordered_word>(value), order));
  }
  __device__ Type fetch_max(Type value, memory_order order) const requires modified {
    if (!in_shared()) return ref().fetch_max(value, detail::to_cuda(order));
    return static_cast<Type>(shared::fetch_max(address(), static_cast<ordered_word>(value), order));
  }

 private:
  /// Whether CUDA's own functions do the same: relaxed, device scope. libcu++ uses a generic
  /// address. For 64 bits the assembler turns that into an attempt with a shared-memory access as
  /// the fallback, and the next access waits for it. CUDA's functions keep the address space that
  /// the compiler knows.
  __device__ static constexpr bool is_plain(memory_order order) {
    return sizeof(Type) == 8 && Scope == scope::device && order == memory_order::relaxed;
  }
  __device__ unsigned long long* plain() const {
    return reinterpret_cast<unsigned long long*>(target_);
  }

  /// Constant if the compiler knows the address space.
  __device__ bool in_shared() const {
    return Scope == scope::cluster || (Scope == scope::block && detail::is_shared(target_));
  }
  __device__ std::uint32_t address() const { return detail::shared_address<Scope, Owner>(target_); }
  __device__ cuda::atomic_ref<Type, detail::to_cuda(Scope)> ref() const {
    return cuda::atomic_ref<Type, detail::to_cuda(Scope)>(*target_);
  }

  Type* target_;
};

#else

/// Always inlined, because reports name the calling line.
template <class Type, scope Scope, shared_owner Owner = shared_owner::any_block>
class atomic_ref {
  static_assert(std::is_integral_v<Type> && (sizeof(Type) == 4 || sizeof(Type) == 8),
                "atomic_ref takes integers of 32 and 64 bits; device/atomic_value.cuh adds more");
  static constexpr bool modified = detail::modifies<Type, Scope>;

 public:
  explicit atomic_ref(cell<Type>& target) : target_(target.address()) {}

  const void* where() const { return target_; }

  __forceinline__ Type load(memory_order order) const {
    return perform(simt::op_kind::load, order, {});
  }
  __forceinline__ void store(Type value, memory_order order) const {
    perform(simt::op_kind::store, order, value);
  }
  __forceinline__ Type exchange(Type value, memory_order order) const requires modified {
    return perform(simt::op_kind::exchange, order, value);
  }
  __forceinline__ bool compare_exchange(Type& expected, Type desired,
                                        memory_order order) const requires modified {
    const Type found = perform(simt::op_kind::compare_exchange, order, desired, expected);
    const bool success = found == expected;
    expected = found;
    return success;
  }
  __forceinline__ Type fetch_add(Type value, memory_order order) const requires modified {
    return perform(simt::op_kind::fetch_add, order, value);
  }
  __forceinline__ Type fetch_and(Type value, memory_order order) const requires modified {
    return perform(simt::op_kind::fetch_and, order, value);
  }
  __forceinline__ Type fetch_or(Type value, memory_order order) const requires modified {
    return perform(simt::op_kind::fetch_or, order, value);
  }
  __forceinline__ Type fetch_xor(Type value, memory_order order) const requires modified {
    return perform(simt::op_kind::fetch_xor, order, value);
  }
  __forceinline__ Type fetch_min(Type value, memory_order order) const requires modified {
    return perform(simt::op_kind::fetch_min, order, value);
  }
  __forceinline__ Type fetch_max(Type value, memory_order order) const requires modified {
    return perform(simt::op_kind::fetch_max, order, value);
  }

 private:
  __forceinline__ Type perform(simt::op_kind kind, memory_order order, Type operand,
                               Type expected = {}) const {
    return simt::from_word<Type>(simt::perform({.kind = kind,
                                                .order = order,
                                                .reach = Scope,
                                                .bytes = sizeof(Type),
                                                .is_signed = std::is_signed_v<Type>,
                                                .address = target_,
                                                .operand = simt::to_word(operand),
                                                .expected = simt::to_word(expected)}));
  }

  Type* target_;
};

#endif

}  // namespace finesync::inline FINESYNC_ABI
