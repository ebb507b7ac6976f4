// SPDX-License-Identifier: Apache-2.0
// The interface of locks. Every lock of this folder has it, and so does a set of locks
// (multi_object/multi_lock.cuh).
//
// A Lock is a trivially copyable ref to its state, with
//|  struct state                        what it keeps in memory; all bytes zero means free
//|  struct acquisition                  what one acquisition keeps in registers
//|  acquisition enqueue()               begins one; takes a slot in the queue, if there is one
//|  bool try_enter(acquisition&)        one attempt; acquires on success
//|  void wait(acquisition&)             what to do before the next attempt
//|  void leave(acquisition&)            releases; or bool: false to be tried again after wait()
// and optionally
//|  bool try_enter_burst(acquisition&)  several attempts in a row (polling.cuh), for a thread that
//|                                      competes with no other lane of its warp
//|  const void* address()               in its state, for reports
// A value-passing lock keeps the protected word in acquisition::value while it is held.
//
// Between try_enter() and leave(), every lock excludes all other threads of its scope. What the
// last holder did before leave() is visible after try_enter(), also through plain accesses. A
// value-passing lock guarantees this only for the word.
#pragma once

#include "finesync/device/platform.cuh"

#include <concepts>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// Checks the interface above, except for behaviour. A set of locks has no state of its own.
template <class Lock>
concept exclusive_lock = std::is_trivially_copyable_v<Lock> && requires {
  typename Lock::acquisition;
} && requires(Lock lock, typename Lock::acquisition acquisition) {
  { lock.enqueue() } -> std::same_as<typename Lock::acquisition>;
  { lock.try_enter(acquisition) } -> std::same_as<bool>;
  lock.wait(acquisition);
  lock.leave(acquisition);
};

/// A lock whose hand-off passes the protected word.
template <class Lock>
concept passes_value = exclusive_lock<Lock> && requires(typename Lock::acquisition acquisition) {
  acquisition.value;
};

/// The section of a value-passing lock takes the word by reference; other sections take nothing.
template <class Section, class Lock>
concept runs_under = requires(Section& section) {
  requires !passes_value<Lock>;
  section();
}
|| requires(Section& section, typename Lock::acquisition acquisition) {
  section(acquisition.value);
};

}  // namespace finesync::inline FINESYNC_ABI
