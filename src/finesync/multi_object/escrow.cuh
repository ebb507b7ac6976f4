// SPDX-License-Identifier: Apache-2.0
// Amounts moved between words. A thread that takes from a word holds it; a thread that adds to one
// does not ask (increment locks; O'Neil, "The Escrow Transactional Method", 1986). Additions
// commute, and an amount that is available stays available while others add. So a move holds only
// one of its two words: the other cannot make it fail, and no deadlock is possible.
//
// Use: escrow<Scope>(giver, taker).try_transfer(section, history)
// Participants: threads, also several of one warp; the two words must differ. No thread changes a
//   word in other ways meanwhile.
// Scope: template parameter.
// Ordering: none to other data; all accesses are relaxed read-modify-writes. Moves are
//   serializable, also those that move nothing. A move takes effect at its addition. The addition
//   precedes the release of the giver, as the released value depends on what the addition found
//   (the PTX memory model excludes out-of-thin-air values). A move of nothing takes effect when it
//   reads the giver. A thread that reads a word sees a whole move or none of it.
// Progress: no thread waits while it holds a word; some thread that wants a word gets it. Not
//   starvation-free.
// Residency: none needed.
// Traffic: two read-modify-writes one after the other, and one whose result is not awaited; a
//   failed try is one.
// Reset: none; a word that is never released stays held.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// A word: a value in its 31 lower bits, which must stay below 2^31 - 1; a bit that says that it is
/// held; above that, a count of its changes, which gives their order. The count wraps.
struct escrow_word {
  static constexpr unsigned value_bits = 31;
  static constexpr std::uint64_t held = std::uint64_t{1} << value_bits;
  static constexpr std::uint64_t change = held << 1;

  __host__ __device__ static constexpr std::uint32_t value_of(std::uint64_t word) {
    return static_cast<std::uint32_t>(word % held);
  }
  __host__ __device__ static constexpr std::uint32_t changes_of(std::uint64_t word) {
    return static_cast<std::uint32_t>(word / change);
  }
};

/// The change counts that a move found.
struct escrow_history {
  std::uint32_t held;  ///< of the giver, when it was taken
  std::uint32_t freed;
  std::uint32_t added;  ///< of the taker; undefined for a move of nothing
};

template <scope Scope>
class escrow {
 public:
  __device__ escrow(cell<std::uint64_t>& giver, cell<std::uint64_t>& taker)
      : giver_(giver), taker_(taker) {}

  /// One try: moves section(value of the giver), which is at most that value.
  /// \returns false if another thread held the giver; nothing was done then.
  template <class Section>
  __device__ bool try_transfer(Section&& section, escrow_history& history) {
    const std::uint64_t given = giver_.fetch_or(escrow_word::held, memory_order::relaxed);
    if ((given & escrow_word::held) != 0) return false;
    history.held = escrow_word::changes_of(given);
    std::uint64_t gone = section(escrow_word::value_of(given));
    if (gone != 0) {
      const std::uint64_t found =
          taker_.fetch_add(escrow_word::change + gone, memory_order::relaxed);
      history.added = escrow_word::changes_of(found);
      gone += found == never;  // makes it depend on the addition
    }
    const std::uint64_t freed =
        giver_.fetch_add(escrow_word::change - escrow_word::held - gone, memory_order::relaxed);
    history.freed = escrow_word::changes_of(freed);
    return true;
  }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  atomic_ref<std::uint64_t, Scope> giver_;
  atomic_ref<std::uint64_t, Scope> taker_;
};

}  // namespace finesync::inline FINESYNC_ABI
