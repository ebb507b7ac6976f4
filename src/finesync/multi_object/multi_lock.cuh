// SPDX-License-Identifier: Apache-2.0
// Several locks held at once, for a section over several objects (ASPLOS'19, section 3.3). A
// multi_lock is itself a lock, so run_exclusive() runs a section under it.
//
// Use: run_exclusive(multi_lock<lock_table_ref<lock>, 2>(locks, {i, j}), section, watchdog)
// Participants: threads of the locks' scope, also several of one warp. If a thread names a lock
//   twice, it acquires it once.
// Scope: that of the locks.
// Ordering: that of the locks; for an unfenced_try_lock, one fence serves all of them.
// Progress: deadlock-free. in_order: all threads acquire in ascending index order, the same order
//   for every set, so no cycle can form; starvation-free if the locks are. all_or_nothing: no lock
//   is held while waiting; not starvation-free. Simultaneous attempts of several threads may all
//   fail. After a few failures a thread tries its locks one by one, in ascending order; among such
//   threads, the one that holds the highest lock acquires its whole set.
// Residency: that of the locks; a thread that waits in_order may delay others.
// Traffic: that of the locks, one after another. all_or_nothing tries all locks at once, in one
//   round trip, and releases those it acquired if another failed.
// Reset: nothing of its own.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/held_lock.cuh"
#include "finesync/locks/block_lock_storage.cuh"
#include "finesync/locks/exclusive.cuh"
#include "finesync/locks/lock_table.cuh"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace finesync::inline FINESYNC_ABI {

/// A try-lock that leaves its fences to the caller, so one fence can serve several locks:
///|  bool try_acquire_relaxed(acquisition&)  try_enter() that orders nothing
///|  void release_relaxed(acquisition&)      leave() that orders nothing
///|  void cancel(acquisition&)               release_relaxed() with nothing done since, and with no
///|                                          fence since. It must be a read-modify-write: the next
///|                                          thread to acquire the lock synchronizes with its last
///|                                          holder through it.
///|  bool is_free()                          polls; orders nothing
///|  acquire_order, release_order            of the fences after acquiring and before releasing
///|  lock_scope                              of these fences
template <class Lock>
concept unfenced_try_lock = requires(Lock lock, typename Lock::acquisition acquisition) {
  { lock.try_acquire_relaxed(acquisition) } -> std::same_as<bool>;
  lock.release_relaxed(acquisition);
  lock.cancel(acquisition);
  { lock.is_free() } -> std::same_as<bool>;
  Lock::acquire_order;
  Lock::release_order;
  Lock::lock_scope;
};

/// Waits for each lock while holding those before it (ASPLOS'19, Listing 3, with spin_lock).
struct in_order {
  using backoff = no_backoff;  // the locks have their own
};

/// Tries all locks at once. A thread that fails on any of them releases the others, sleeps, and
/// tries again when a poll finds all of them free. Better than in_order if most locks are free, or
/// if many threads want few locks: no thread waits for a waiter.
/// \tparam Backoff should be random, so that two threads that failed together do not retry
/// together.
/// \tparam SimultaneousAttempts number of simultaneous attempts. After them a thread tries the
/// locks one by one, up to the first that is taken.
template <class Backoff = random_backoff<64, 1024>, unsigned SimultaneousAttempts = 4>
struct all_or_nothing {
  using backoff = Backoff;
  static constexpr unsigned simultaneous_attempts = SimultaneousAttempts;
};

/// Locks whose states are an array, for example in shared memory.
template <class Lock>
struct lock_array {
  typename Lock::state* states;

  __device__ Lock operator[](std::size_t index) const { return Lock(states[index]); }
};

/// \tparam Locks a lock_table_ref, or another type that gives a lock for an index.
/// \tparam Size 2 to 4.
/// \tparam Way in_order or all_or_nothing<Backoff>; the latter needs an unfenced_try_lock.
/// \tparam Observer a lock_observer for each lock. The set as a whole has the observer of
/// run_exclusive().
template <class Locks, unsigned Size, class Way = in_order, lock_observer Observer = no_observer>
class multi_lock {
  static_assert(Size >= 2 && Size <= 4);

 public:
  using lock = std::remove_cvref_t<decltype(std::declval<const Locks&>()[0])>;
  static_assert(exclusive_lock<lock>,
                "a set of a type that is no lock: see locks/exclusive_lock.cuh");
  static constexpr unsigned size = Size;
  static constexpr bool observed = !std::is_same_v<Observer, no_observer>;

 private:
  static constexpr bool ordered = std::is_same_v<Way, in_order>;
  static_assert(!passes_value<lock>,
                "a section over several value-passing locks has no single word");
  static_assert(!queues_nodes<lock> && !has_block_storage<lock>,
                "a thread has one node, for one queue at a time");
  static_assert(ordered || unfenced_try_lock<lock>, "all_or_nothing needs an unfenced_try_lock");

 public:
  struct acquisition {
    typename lock::acquisition each[Size];
    unsigned held = 0;     ///< in_order: number of locks held; waiting for the next
    unsigned refused = 0;  ///< all_or_nothing: failed attempts
    typename Way::backoff backoff;
  };

  /// \param indices of the locks, in any order; several may be equal.
  __device__ multi_lock(const Locks& locks,
                        const std::uint32_t (&indices)[Size]) requires(!observed)
      : multi_lock(locks, indices, nullptr) {}
  /// \param observers Size of them, for the locks in ascending order; they outlive the set.
  __device__ multi_lock(const Locks& locks, const std::uint32_t (&indices)[Size],
                        Observer* observers)
      : locks_(locks), observers_(observers) {
    for (unsigned i = 0; i < Size; ++i) {  // insertion sort
      indices_[i] = indices[i];
      for (unsigned j = i; j > 0; --j) {
        const std::uint32_t lower = indices_[j - 1] < indices_[j] ? indices_[j - 1] : indices_[j];
        indices_[j] = indices_[j - 1] < indices_[j] ? indices_[j] : indices_[j - 1];
        indices_[j - 1] = lower;
      }
    }
  }

  /// Calls begin() of all observers: before run_exclusive(), or before the first try_run().
  __device__ void begin() const {
    if constexpr (observed)
      for (unsigned i = 0; i < Size; ++i) observers_[i].begin(indices_[i]);
  }

  __device__ acquisition enqueue() {
    acquisition r = {};
    if constexpr (ordered) {
      r.each[0] = at(0).enqueue();
    } else {
      for (unsigned i = 0; i < Size; ++i) r.each[i] = at(i).enqueue();
    }
    return r;
  }

  /// all_or_nothing: a failed attempt leaves no lock held.
  __device__ bool try_enter(acquisition& r) {
    if constexpr (ordered) {
      if (!get_further(r)) return false;
    } else {
      if (!get_all(r)) return false;
    }
    if constexpr (unfenced_try_lock<lock>) fence<lock::acquire_order, lock::lock_scope>();
    return true;
  }

  __device__ void wait(acquisition& r) {
    if constexpr (ordered) {
      for (unsigned i = 0; i < Size; ++i) {
        if (r.held == i) at(i).wait(r.each[i]);
      }
    } else {
      r.backoff.wait(1);
    }
  }

  /// all_or_nothing: one attempt, lock by lock. Runs section() under all locks, or acquires none.
  /// For threads that have other tasks to try meanwhile (multi_object/retry_per_lane.cuh).
  template <class Section>
  __device__ bool try_run(Section&& section) {
    acquisition r = enqueue();
    if (!try_acquire_all(r, false)) return false;
    fence<lock::acquire_order, lock::lock_scope>();
    section();
    leave(r);
    return true;
  }

  /// \returns false: some locks are still held; call again after wait().
  __device__ bool leave(acquisition& r) {
    if constexpr (unfenced_try_lock<lock>) {
      fence<lock::release_order, lock::lock_scope>();
      for (unsigned i = 0; i < Size; ++i) {
        if (!repeated(i)) drop_one(i, r.each[i]);
      }
      return true;
    } else {
      for (unsigned i = Size; i-- > 0;) {
        if (r.held == i + 1 && (repeated(i) || leave_one(i, r.each[i]))) r.held = i;
      }
      return r.held == 0;
    }
  }

 private:
  __device__ lock at(unsigned i) const { return locks_[indices_[i]]; }
  __device__ bool repeated(unsigned i) const { return i > 0 && indices_[i] == indices_[i - 1]; }

  __device__ bool enter_one(unsigned i, typename lock::acquisition& r) const {
    if constexpr (unfenced_try_lock<lock>) {
      return seen(i, at(i).try_acquire_relaxed(r));
    } else {
      return seen(i, at(i).try_enter(r));
    }
  }
  __device__ bool seen(unsigned i, bool entered) const {
    if constexpr (observed) entered ? observers_[i].entered() : observers_[i].retry();
    if (entered) note_lock(at(i), true);
    return entered;
  }
  __device__ void drop_one(unsigned i, typename lock::acquisition& r) const {
    if constexpr (observed) observers_[i].leaving();
    note_lock(at(i), false);
    at(i).release_relaxed(r);
  }
  __device__ bool leave_one(unsigned i, typename lock::acquisition& r) const {
    lock held = at(i);
    if constexpr (observed) observers_[i].leaving();
    note_lock(held, false);
    if constexpr (std::is_void_v<decltype(held.leave(r))>) {
      held.leave(r);
      return true;
    } else {
      return held.leave(r);
    }
  }

  /// Acquires the next locks, up to the first that is taken.
  __device__ bool get_further(acquisition& r) {
    for (unsigned i = 0; i < Size; ++i) {
      if (r.held != i || !(repeated(i) || enter_one(i, r.each[i]))) continue;
      r.held = i + 1;
      if (i + 1 < Size && !repeated(i + 1)) r.each[(i + 1) % Size] = at((i + 1) % Size).enqueue();
    }
    return r.held == Size;
  }

  __device__ bool get_all(acquisition& r) {
    if (r.refused != 0 && !all_free()) return false;
    if (try_acquire_all(r, r.refused < Way::simultaneous_attempts)) return true;
    ++r.refused;
    return false;
  }

  /// \param together whether all attempts are issued before the first returns, or one by one.
  __device__ bool try_acquire_all(acquisition& r, bool together) {
    bool won[Size];
    bool all = true;
    if (together) {
      for (unsigned i = 0; i < Size; ++i) won[i] = repeated(i) || enter_one(i, r.each[i]);
      for (unsigned i = 0; i < Size; ++i) all = all && won[i];
    } else {
      for (unsigned i = 0; i < Size; ++i)
        all = won[i] = all && (repeated(i) || enter_one(i, r.each[i]));
    }
    if (all) return true;
    for (unsigned i = 0; i < Size; ++i) {
      if (won[i] && !repeated(i)) {
        if constexpr (observed) observers_[i].retry();
        note_lock(at(i), false);
        at(i).cancel(r.each[i]);
      }
    }
    return false;
  }

  __device__ bool all_free() const {
    bool all = true;
    for (unsigned i = 0; i < Size; ++i) all = all & at(i).is_free();
    return all;
  }

  Locks locks_;
  Observer* observers_;
  std::uint32_t indices_[Size];
};

}  // namespace finesync::inline FINESYNC_ABI
