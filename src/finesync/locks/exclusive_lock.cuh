// What a lock is. Each lock of this folder is one, and so is a set of them (multi_lock.cuh).
//
// A Lock is a trivially copyable ref to its state and offers
//|  struct state                    what it keeps in memory; all bytes zero means free
//|  struct acquisition              what one acquisition keeps in registers
//|  acquisition enqueue()           begins one: takes a slot in the queue, if there is one
//|  bool try_enter(acquisition&)    tries to get in; acquires on success
//|  void wait(acquisition&)         what to do before trying again
//|  void leave(acquisition&)        releases; or bool: false to be tried again after wait()
// and, if that is worth it,
//|  bool try_enter_burst(acquisition&)
//|                                  try_enter() that tries some times in a row (polling.cuh), for
//|                                  a thread of whose warp no other competes at the time
// A lock that hands a word from holder to holder keeps it in acquisition::word while it is held.
// Every lock excludes, of the threads in its scope, all but one between try_enter() and leave(),
// and makes what the last holder did before leave() visible after try_enter(), also for plain
// accesses.
#pragma once

#include "finesync/device/platform.cuh"

#include <concepts>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Checks the above, as far as types say it. A set of locks has no state of its own.
template <class Lock>
concept exclusive_lock = std::is_trivially_copyable_v<Lock> && requires {
  typename Lock::acquisition;
} && requires(Lock lock, typename Lock::acquisition acquisition) {
  { lock.enqueue() } -> std::same_as<typename Lock::acquisition>;
  { lock.try_enter(acquisition) } -> std::same_as<bool>;
  lock.wait(acquisition);
  lock.leave(acquisition);
};

/// A lock that carries the protected word.
template <class Lock>
concept passes_value = exclusive_lock<Lock> && requires(typename Lock::acquisition acquisition) {
  acquisition.word;
};

/// A section of such a lock takes the word by reference; of any other it takes nothing.
template <class Section, class Lock>
concept runs_under = requires(Section& section) {
  requires !passes_value<Lock>;
  section();
}
|| requires(Section& section, typename Lock::acquisition acquisition) {
  section(acquisition.word);
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
