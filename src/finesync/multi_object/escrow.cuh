// Amounts moved between words: whoever takes from a word holds it, and whoever adds to one does not
// ask (increment locks; O'Neil, "The Escrow Transactional Method", 1986). Additions commute, and
// what is enough stays enough while others add. So one word of two is held, nobody is refused for
// the sake of the other, and there is no deadlock to avoid.
//
// Participants: threads, also several of one warp; the two words must differ. Nobody changes a word
//   in other ways meanwhile.
// Scope: template parameter.
// Ordering: none to other data; all accesses are relaxed read-modify-writes. Moves are
//   serializable, also those that move nothing. A move is its addition, which comes before its
//   giver is free, as the value that frees it depends on what the addition found (by the memory
//   model of PTX no value comes out of thin air); one that moves nothing is its look at the giver.
//   Who looks at a word sees the whole of a move, or nothing.
// Progress: no waiting while holding; somebody who wants a word gets it. Not starvation-free.
// Residency: none needed.
// Traffic: two read-modify-writes one after the other and one whose answer nobody waits for; a
//   refusal is one.
// Reset: none; a word that is held is so for ever.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// A word's value, in its 31 lower bits; it must stay below 2^31 - 1. The bit above says that the
/// word is held, and those above it count its changes, whose order they tell; the count wraps.
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

/// How many changes the words had had before.
struct escrow_history {
  std::uint32_t held;  ///< the giver, when it was taken
  std::uint32_t freed;
  std::uint32_t added;  ///< the taker; of a move of nothing meaningless
};

template <scope Scope>
class escrow {
 public:
  __device__ escrow(cell<std::uint64_t>& giver, cell<std::uint64_t>& taker)
      : giver_(giver), taker_(taker) {}

  /// One try: moves section(value of the giver), which is at most that value.
  /// \returns false where somebody else held the giver: nothing was done.
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
      gone += found == never;  // and so it depends on it
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
