// SPDX-License-Identifier: Apache-2.0
// Two words changed together, each its own lock (full/empty words). A thread exchanges each word
// for a reserved value, Empty, and so gets the value and locks the word. This takes half the
// accesses of separate locks and no fence. It protects only the two words.
//
// Use: full_empty_pair<Type, Empty, Scope>(one, other).update(section, watchdog)
// Participants: threads, also several of one warp; the two words must differ.
// Scope: template parameter.
// Ordering: none; all accesses are relaxed. Each word has a single order of changes. The exchange
//   that returns a value also removes it, so two threads never work on one value.
// Progress: no word is held while waiting. As in all_or_nothing (multi_lock.cuh), a thread tries
//   both words at once at first, and later one by one in ascending address order; among such
//   threads, some thread always gets both. Not starvation-free.
// Residency: none needed.
// Traffic: two exchanges, issued together, and two stores. A failed attempt is two loads, or the
//   exchanges and a store of the word that was taken.
// Reset: none; a word that holds Empty stays locked.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/multi_object/pair_section.cuh"

namespace finesync::inline FINESYNC_ABI {

/// \tparam Type a word of 32 or 64 bits. \tparam Empty a value that the words never have otherwise.
/// \tparam Backoff should be random, so that two threads that failed together retry at different
/// times.
/// \tparam SimultaneousAttempts attempts on both words at once; after as many failures, one by one.
template <class Type, Type Empty, scope Scope, class Backoff = random_backoff<64, 1024>,
          unsigned SimultaneousAttempts = 4>
class full_empty_pair {
 public:
  using backoff_policy = Backoff;
  static constexpr unsigned simultaneous_attempts = SimultaneousAttempts;

  __device__ full_empty_pair(cell<Type>& one, cell<Type>& other)
      : one_(one), other_(other), one_is_lower_(&one < &other) {}

  /// Runs section(one, other) on the two values; it may change both.
  /// \returns false when the watchdog ended the wait: leave the kernel.
  template <class Section>
  __device__ bool update(Section&& section, const watchdog_ref& watchdog) {
    static_assert(pair_section<Section, Type>, "not a section: multi_object/pair_section.cuh");
    bounded_wait wait(watchdog, awaited::lock);
    Backoff backoff;
    unsigned refused = 0;
    // As in run_exclusive(), the section is inside the loop.
    while (true) {
      if (refused == 0 || both_are_free()) {
        if (try_update(section, refused < SimultaneousAttempts)) return true;
        ++refused;
      }
      if (wait.timed_out()) return false;
      backoff.wait(1);
    }
  }

  /// One attempt: takes both words, runs section() as update() does and stores them back; or takes
  /// none.
  /// \param together both words at once, or first the lower address and, if that succeeds, the
  /// other.
  template <class Section>
  __device__ bool try_update(Section&& section, bool together = false) {
    Type value;
    Type other_value;
    take(together, value, other_value);
    const bool got_both = value != Empty && other_value != Empty;
    if (got_both) section(value, other_value);
    if (value != Empty) one_.store(value, memory_order::relaxed);
    if (other_value != Empty) other_.store(other_value, memory_order::relaxed);
    return got_both;
  }

  /// One attempt that takes `one` first and then the other, regardless of their addresses. For
  /// threads that all name any two words in the same order.
  template <class Section>
  __device__ bool try_one_by_one(Section&& section) {
    Type value = taken(one_);
    if (value == Empty) return false;
    Type other_value = taken(other_);
    const bool got_both = other_value != Empty;
    if (got_both) {
      section(value, other_value);
      other_.store(other_value, memory_order::relaxed);
    }
    one_.store(value, memory_order::relaxed);
    return got_both;
  }

  /// The same for warps whose attempts mostly fail. Their lanes stay converged until the stores:
  /// lanes that got only `one` store it back together with lanes that got both.
  template <class Section>
  __device__ bool try_one_by_one_together(Section&& section) {
    Type value = taken(one_);
    const bool got_one = value != Empty;
    Type other_value = Empty;
    if (got_one) other_value = taken(other_);
    const bool got_both = other_value != Empty;
    if (got_both) section(value, other_value);
    if (got_one) one_.store(value, memory_order::relaxed);
    if (got_both) other_.store(other_value, memory_order::relaxed);
    return got_both;
  }

 private:
  __device__ void take(bool together, Type& value, Type& other_value) const {
    if (together) {
      value = taken(one_);
      other_value = taken(other_);
      return;
    }
    const Type lower = taken(one_is_lower_ ? one_ : other_);
    Type higher = Empty;
    if (lower != Empty) higher = taken(one_is_lower_ ? other_ : one_);
    value = one_is_lower_ ? lower : higher;
    other_value = one_is_lower_ ? higher : lower;
  }

  __device__ static Type taken(const atomic_ref<Type, Scope>& word) {
    return word.exchange(Empty, memory_order::relaxed);
  }

  __device__ bool both_are_free() const {
    const Type value = one_.load(memory_order::relaxed);
    const Type other_value = other_.load(memory_order::relaxed);
    return value != Empty && other_value != Empty;
  }

  atomic_ref<Type, Scope> one_;
  atomic_ref<Type, Scope> other_;
  bool one_is_lower_;
};

}  // namespace finesync::inline FINESYNC_ABI
