// Two words changed together, each of them its own lock: whoever wants them puts a reserved value,
// Empty, in their places, and what it gets for it are the values. Half the accesses of a lock
// beside its datum, and no fence: nothing but the two words is protected.
//
// Participants: threads, also several of one warp; the two words must differ.
// Scope: template parameter.
// Ordering: none; all accesses are relaxed. Each word has a single order of changes, and a value is
//   taken by the exchange that removes it, so nobody works on one that somebody else has.
// Progress: nothing is held while waiting. As all_or_nothing of multi_lock.cuh: both at once at
// first,
//   later one after the other by their addresses, of which somebody always gets both. Not
//   starvation-free.
// Residency: none needed.
// Traffic: two exchanges, on their way together, and two stores; a refusal is two loads, or the
//   exchanges, and a store of what was won.
// Reset: none; a word that holds Empty is taken for ever.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/multi_object/pair_section.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// \tparam T a word of 32 or 64 bits. \tparam Empty a value that it never has otherwise.
/// \tparam Backoff should be random: two that were refused together try again at other times.
/// \tparam TriesTogether of both words at once; after so many refusals one after the other.
template <class T, T Empty, scope Scope, class Backoff = random_backoff<64, 1024>,
          unsigned TriesTogether = 4>
class full_empty_pair {
 public:
  using backoff_policy = Backoff;
  static constexpr unsigned tries_together = TriesTogether;

  __device__ full_empty_pair(cell<T>& one, cell<T>& other)
      : one_(one), other_(other), one_is_lower_(&one < &other) {}

  /// Runs section(value of one, value of other), which may change both.
  /// \returns false when the watchdog ended the wait: leave the kernel.
  template <class Section>
  __device__ bool update(Section&& section, const watchdog_ref& watchdog) {
    static_assert(pair_section<Section, T>, "not a section: multi_object/pair_section.cuh");
    bounded_wait wait(watchdog, awaited::lock);
    Backoff backoff;
    unsigned refused = 0;
    // As in run_exclusive(), the section stands inside the loop.
    while (true) {
      if (refused == 0 || both_are_free()) {
        if (try_update(section, refused < TriesTogether)) return true;
        ++refused;
      }
      if (wait.timed_out()) return false;
      backoff.wait(1);
    }
  }

  /// One try: takes both, runs section() as update() does and puts them back; or takes none.
  /// \param together both at once, or the lower address first and, if it got that, the other.
  template <class Section>
  __device__ bool try_update(Section&& section, bool together = false) {
    T value;
    T other_value;
    take(together, value, other_value);
    const bool got_both = value != Empty && other_value != Empty;
    if (got_both) section(value, other_value);
    if (value != Empty) one_.store(value, memory_order::relaxed);
    if (other_value != Empty) other_.store(other_value, memory_order::relaxed);
    return got_both;
  }

  /// One try that takes `one` first, and then the other, whichever address is lower: where all name
  /// two words in the same order.
  template <class Section>
  __device__ bool try_one_by_one(Section&& section) {
    T value = taken(one_);
    if (value == Empty) return false;
    T other_value = taken(other_);
    const bool got_both = other_value != Empty;
    if (got_both) {
      section(value, other_value);
      other_.store(other_value, memory_order::relaxed);
    }
    one_.store(value, memory_order::relaxed);
    return got_both;
  }

  /// The same where most tries of a warp are refused: its lanes stay together until the stores, and
  /// who got `one` alone gives it back with those who got both.
  template <class Section>
  __device__ bool try_one_by_one_together(Section&& section) {
    T value = taken(one_);
    const bool got_one = value != Empty;
    T other_value = Empty;
    if (got_one) other_value = taken(other_);
    const bool got_both = other_value != Empty;
    if (got_both) section(value, other_value);
    if (got_one) one_.store(value, memory_order::relaxed);
    if (got_both) other_.store(other_value, memory_order::relaxed);
    return got_both;
  }

 private:
  __device__ void take(bool together, T& value, T& other_value) const {
    if (together) {
      value = taken(one_);
      other_value = taken(other_);
      return;
    }
    const T lower = taken(one_is_lower_ ? one_ : other_);
    T higher = Empty;
    if (lower != Empty) higher = taken(one_is_lower_ ? other_ : one_);
    value = one_is_lower_ ? lower : higher;
    other_value = one_is_lower_ ? higher : lower;
  }

  __device__ static T taken(const atomic_ref<T, Scope>& word) {
    return word.exchange(Empty, memory_order::relaxed);
  }

  __device__ bool both_are_free() const {
    const T value = one_.load(memory_order::relaxed);
    const T other_value = other_.load(memory_order::relaxed);
    return value != Empty && other_value != Empty;
  }

  atomic_ref<T, Scope> one_;
  atomic_ref<T, Scope> other_;
  bool one_is_lower_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
