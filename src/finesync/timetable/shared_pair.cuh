// Taking two words of shared memory at once, each of which is its own lock.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"

#include <cstdint>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Takes the word of the lower index first, by an exchange for `Busy`, then the other; who finds
/// the other busy gives the first back with what was in it.
///
/// Progress: of those who hold words, the holder of the highest is refused by nobody, as what it
/// tries
///   next is higher still; so some thread always gets on. Nobody waits.
/// Ordering: relaxed accesses of block scope are enough, as the word itself is what it protects:
/// its
///   value is handed on within it, and of other memory nobody learns anything. While a word is
///   taken, its holder alone stores a value to it, and all others exchange Busy for Busy. Exchanges
///   are atomic: of those that come after a holder's store, one gets the value.
/// \tparam Word a 32-bit integer.
template <class Word, Word Busy>
class shared_pair {
  static_assert(std::is_integral_v<Word> && sizeof(Word) == 4);

 public:
  /// \param first, second two different places of `words`.
  __device__ shared_pair(cell<Word>* words, unsigned first, unsigned second)
      : words_(words), first_(first), second_(second) {}

  /// Takes both, runs section(Word& first, Word& second) and gives them back; or takes none.
  template <class Section>
  __device__ bool try_run(Section section) {
    const bool ascending = first_ < second_;
    const unsigned low = ascending ? first_ : second_;
    const unsigned high = ascending ? second_ : first_;
    const Word of_low = word(low).exchange(Busy, memory_order::relaxed);
    if (of_low == Busy) return false;
    const Word of_high = word(high).exchange(Busy, memory_order::relaxed);
    if (of_high == Busy) {
      word(low).store(of_low, memory_order::relaxed);
      return false;
    }
    Word first = ascending ? of_low : of_high;
    Word second = ascending ? of_high : of_low;
    section(first, second);
    word(first_).store(first, memory_order::relaxed);
    word(second_).store(second, memory_order::relaxed);
    return true;
  }

 private:
  __device__ atomic_ref<Word, scope::block> word(unsigned place) const {
    return atomic_ref<Word, scope::block>(words_[place]);
  }

  cell<Word>* words_;
  unsigned first_;
  unsigned second_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
