// SPDX-License-Identifier: Apache-2.0
// A word of memory that several threads can access.
#pragma once

#include "finesync/device/platform.cuh"

#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

#ifndef FINESYNC_HOST_EXECUTOR

/// Under nvcc a cell<Type> is a Type: `cell<int>* p; p[i] = p[j] + 1;` is an ordinary (in PTX terms
/// weak) load and store. Synchronizing accesses to it use atomic_ref.
template <class Type>
using cell = Type;

#else

/// On the host executor a cell<Type> has Type's size and bytes, and each load and store is a device
/// operation. It is counted, lets other threads run, and is subject to weak memory. Declare all
/// data that threads share as cells (kernel pointers, members of shared storage, protected data),
/// so that races on it become visible. Always inlined, because reports name the calling line.
template <class Type>
class cell {
  static_assert(std::is_trivially_copyable_v<Type> && sizeof(Type) <= 16,
                "a cell is one access: its type must be trivially copyable, of at most 16 bytes");

 public:
  using value_type = Type;

  cell() = default;
  /// Explicit, so that `condition ? words[i] : 1u` is a Type.
  __forceinline__ explicit cell(const Type& value) { *this = value; }
  __forceinline__ cell(const cell& other) { *this = static_cast<Type>(other); }

  __forceinline__ operator Type() const {
    return simt::from_word<Type>(simt::perform({.kind = simt::op_kind::plain_load,
                                                .bytes = sizeof(Type),
                                                .alignment = alignof(Type),
                                                .address = const_cast<Type*>(&value_)}));
  }
  __forceinline__ cell& operator=(const Type& value) {
    simt::perform({.kind = simt::op_kind::plain_store,
                   .bytes = sizeof(Type),
                   .alignment = alignof(Type),
                   .address = &value_,
                   .operand = simt::to_word(value)});
    return *this;
  }
  __forceinline__ cell& operator=(const cell& other) { return *this = static_cast<Type>(other); }

  /// A plain load and a plain store, not atomic.
#define FINESYNC_LOAD_AND_STORE(op)                                        \
  template <class Operand>                                                 \
  __forceinline__ cell& operator op##=(const Operand& operand) {           \
    return *this = static_cast<Type>(static_cast<Type>(*this) op operand); \
  }
  FINESYNC_LOAD_AND_STORE(+)
  FINESYNC_LOAD_AND_STORE(-)
  FINESYNC_LOAD_AND_STORE(*)
  FINESYNC_LOAD_AND_STORE(/)
  FINESYNC_LOAD_AND_STORE(%)
  FINESYNC_LOAD_AND_STORE(&)
  FINESYNC_LOAD_AND_STORE(|)
  FINESYNC_LOAD_AND_STORE(^)
  FINESYNC_LOAD_AND_STORE(<<)
  FINESYNC_LOAD_AND_STORE(>>)
#undef FINESYNC_LOAD_AND_STORE
  __forceinline__ cell& operator++() {
    return *this += 1;
  }
  __forceinline__ cell& operator--() {
    return *this -= 1;
  }
  __forceinline__ Type operator++(int) {
    const Type old = *this;
    *this = static_cast<Type>(old + 1);
    return old;
  }
  __forceinline__ Type operator--(int) {
    const Type old = *this;
    *this = static_cast<Type>(old - 1);
    return old;
  }

  Type* address() {
    return &value_;
  }

 private:
  Type value_;
};

#endif

}  // namespace finesync::inline FINESYNC_ABI
