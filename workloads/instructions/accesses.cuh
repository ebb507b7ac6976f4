// Instructions on words of memory: modifications, compare-and-swap, loads, stores, polls. Each is a
// function object of a thread, and says whether words and results are right.
#pragma once

#include "context.cuh"

#include <finesync/device/await.cuh>
#include <finesync/device/warp.cuh>

#include <cstdint>

namespace finesync::instructions {

/// A word after a run, and the sum of what all instructions on it returned.
template <class Word>
struct word_report {
  Word last;
  Word seen;
  Word threads;     ///< number of threads that use this word
  Word executions;  ///< instructions of each thread

  Word in_all() const { return threads * executions; }
  /// 0 + 1 + ... + (number - 1), for numbers whose square fits.
  static Word sum_below(Word number) {
    return static_cast<Word>(std::uint64_t{number} * (std::uint64_t{number} - 1) / 2);
  }
};

template <order Order>
inline constexpr memory_order order_of = Order == order::acquire   ? memory_order::acquire
                                         : Order == order::release ? memory_order::release
                                         : Order == order::acq_rel ? memory_order::acq_rel
                                                                   : memory_order::relaxed;

/// Base of all instructions on words.
template <class Word, state_space Space, scope Scope>
struct on_word {
  using word = Word;
  using report = word_report<Word>;
  static constexpr state_space in = Space;
  static constexpr bool has_result = true;
  static constexpr unsigned threads_together = 1;  ///< threads of one operation
  static constexpr unsigned char initial = 0;      ///< value of each byte of the word

  __device__ explicit on_word(const context& at)
      : target(&word_of_thread<Word, Space>(at.run, threadIdx.x)) {}

  /// \param further 0: makes the address depend on a result.
  __device__ __forceinline__ placed_word<Word, Space, Scope> at(std::uint32_t further = 0) const {
    return placed_word<Word, Space, Scope>(target[further]);
  }
  __device__ __forceinline__ Word seen(Word found, unsigned /*index*/) const { return found; }

  cell<Word>* target;
};

/// Operand and result of a modification that is the thread's number `index` of its kind.
template <modification Kind, class Word>
struct operand_of {
  static constexpr unsigned bits = 8 * sizeof(Word);
  static constexpr bool all_ones = Kind == modification::min || Kind == modification::bit_and;

  __host__ __device__ static Word at(unsigned index) {
    if constexpr (Kind == modification::add) return 1;
    if constexpr (Kind == modification::min) return ~static_cast<Word>(index + 1);
    if constexpr (Kind == modification::bit_and) return ~(Word{1} << index % bits);
    if constexpr (Kind == modification::bit_or) return Word{1} << index % bits;
    return index + 1;
  }
  /// The word after a modification of a word alone.
  static Word after(Word before, unsigned index) {
    const Word operand = at(index);
    switch (Kind) {
      case modification::add:
        return before + operand;
      case modification::min:
        return before < operand ? before : operand;
      case modification::max:
        return before < operand ? operand : before;
      case modification::bit_and:
        return before & operand;
      case modification::bit_or:
        return before | operand;
      case modification::bit_xor:
        return before ^ operand;
      default:
        return operand;
    }
  }
};

/// atom, or red if nothing uses the result.
template <modification Kind, class Word, state_space Space, scope Scope, order Order,
          bool Used = true>
struct modifies : on_word<Word, Space, Scope> {
  using operand = operand_of<Kind, Word>;
  using report = word_report<Word>;
  static constexpr bool has_result = Used;
  static constexpr unsigned char initial = operand::all_ones ? 0xff : 0;

  __device__ explicit modifies(const context& at)
      : on_word<Word, Space, Scope>(at), one(1 | at.run.zero) {}

  __device__ __forceinline__ Word step(std::uint32_t link, unsigned index) const {
    if constexpr (Used) {
      return this->at().template fetch<Kind, order_of<Order>>(value(link, index));
    } else {
      this->at().template modify<Kind>(value(link, index));
      return without(link, index);
    }
  }
  __device__ __forceinline__ std::uint32_t without(std::uint32_t link, unsigned index) const {
    return computed_here(static_cast<std::uint32_t>(value(link, index)));
  }

  /// With one thread all values are known. With several, those that no order of threads changes.
  static bool right(const report& found) {
    Word last = operand::all_ones ? ~Word{0} : Word{0};
    Word seen = 0;
    for (unsigned i = 0; i < found.executions; ++i) {
      seen += last;
      last = operand::after(last, i);
    }
    if (found.threads == 1) return found.last == last && (!Used || found.seen == seen);
    const Word by_all = found.in_all();
    if constexpr (Kind == modification::add)
      return found.last == by_all && (!Used || found.seen == report::sum_below(by_all));
    if constexpr (Kind == modification::exchange)  // each value but the last one is returned
      return found.seen + found.last ==
             static_cast<Word>(found.threads * report::sum_below(found.executions + 1));
    if constexpr (Kind == modification::bit_xor)
      return found.last == (found.threads % 2 ? last : 0);
    return found.last == last;
  }

  /// A sum for additions, as a compiler knows that the bits of `zero` in `one` cover those in a
  /// link.
  __device__ __forceinline__ Word value(std::uint32_t link, unsigned index) const {
    return Kind == modification::add ? one + link : operand::at(index) | link;
  }

  Word one;  ///< as the compiler does not know: shared memory has an instruction that adds 1
};

/// Compare-and-swap. A thread expects the value that it would find if it were alone; if the swap is
/// to fail, it expects a value that the word never has.
template <bool Succeeds, class Word, state_space Space, scope Scope, order Order>
struct compares : on_word<Word, Space, Scope> {
  using report = word_report<Word>;
  using on_word<Word, Space, Scope>::on_word;

  __device__ __forceinline__ Word step(std::uint32_t link, unsigned index) const {
    const Word expected = (Succeeds ? index : index + 1) | link;
    return this->at().template compare_exchange<order_of<Order>>(expected, Word{index} + 1);
  }
  /// Whether it succeeded, or the value it found if it is to fail.
  __device__ __forceinline__ Word seen(Word found, unsigned index) const {
    return Succeeds ? found == index : found;
  }

  /// Each success adds 1 to the word.
  static bool right(const report& found) {
    if constexpr (!Succeeds) return found.last == 0 && found.seen == 0;
    return found.last == found.seen && (found.threads > 1 || found.last == found.executions) &&
           found.last > 0;
  }
};

/// The value that loads find, byte by byte.
inline constexpr unsigned char loaded_byte = 7;
template <class Word>
inline constexpr Word loaded = static_cast<Word>(~Word{0} / 0xff * loaded_byte);

/// An access whose address depends on the result of the one before; the code without the access has
/// the same chain. In a stream, too, the compiler cannot know the address: it would merge ordinary
/// loads, and stores to shared memory.
template <class Word, state_space Space, scope Scope>
struct by_address : on_word<Word, Space, Scope> {
  using on_word<Word, Space, Scope>::on_word;
  static constexpr bool may_be_merged = true;

  __device__ __forceinline__ std::uint32_t without(std::uint32_t link, unsigned /*index*/) const {
    return static_cast<std::uint32_t>(
        reinterpret_cast<std::uintptr_t>(computed_here(this->target + link)));
  }
};

template <class Word, state_space Space, scope Scope, order Order>
struct loads : by_address<Word, Space, Scope> {
  using report = word_report<Word>;
  using by_address<Word, Space, Scope>::by_address;
  static constexpr unsigned char initial = loaded_byte;

  __device__ __forceinline__ Word step(std::uint32_t link, unsigned /*index*/) const {
    if constexpr (Order == order::plain)
      return this->at(link).load_plain();
    else
      return this->at(link).template load<order_of<Order>>();
  }

  static bool right(const report& found) {
    return found.last == loaded<Word> && found.seen == found.in_all() * loaded<Word>;
  }
};

/// The library's wait loop on a word that already has the awaited value: one load, a comparison and
/// a branch.
template <class Word, state_space Space, scope Scope, order Order>
struct polls : loads<Word, Space, Scope, Order> {
  __device__ explicit polls(const context& at)
      : loads<Word, Space, Scope, Order>(at), watchdog(at.watchdog) {}

  __device__ __forceinline__ Word step(std::uint32_t link, unsigned /*index*/) const {
    Word found = 0;
    const auto word = this->at(link);
    const bool there = await(watchdog, awaited::unspecified, [&] {
      found = word.template load<order_of<Order>>();
      return found == loaded<Word>;
    });
    return there ? found : 0;
  }

  const watchdog_ref& watchdog;
};

template <class Word, state_space Space, scope Scope, order Order>
struct stores : by_address<Word, Space, Scope> {
  using report = word_report<Word>;
  using by_address<Word, Space, Scope>::by_address;
  static constexpr bool has_result = false;

  __device__ __forceinline__ std::uint32_t step(std::uint32_t link, unsigned index) const {
    if constexpr (Order == order::plain)
      this->at(link).store_plain(index + 1);
    else
      this->at(link).template store<order_of<Order>>(index + 1);
    return this->without(link, index);
  }
  /// A store returns nothing.
  __device__ __forceinline__ Word seen(std::uint32_t /*found*/, unsigned /*index*/) const {
    return 0;
  }

  /// The last store to a word is some thread's last.
  static bool right(const report& found) { return found.last == found.executions; }
};

/// An addition by each lane as one addition by the warp: a vote, one atomic, and a shuffle.
template <class Word, state_space Space, scope Scope, order Order, bool Used = true>
struct adds_by_warp : modifies<modification::add, Word, Space, Scope, Order, Used> {
  using base = modifies<modification::add, Word, Space, Scope, Order, Used>;
  static constexpr unsigned threads_per_word = 32;  ///< without a stride of 0

  __device__ explicit adds_by_warp(const context& at) : base(at), lane(lane_id()) {
    this->target = &word_of_thread<Word, Space>(at.run, threadIdx.x / 32);
  }

  __device__ __forceinline__ Word step(std::uint32_t link, unsigned index) const {
    const unsigned adding = __ballot_sync(0xffffffffu, link == 0);
    const int first = __ffs(static_cast<int>(adding)) - 1;
    Word before = 0;
    if (static_cast<int>(lane) == first) {
      const auto sum = static_cast<Word>(__popc(adding));
      if constexpr (Used)
        before = this->at().template fetch<modification::add, order_of<Order>>(sum);
      else
        this->at().template modify<modification::add>(sum);
    }
    if constexpr (!Used) return without(link, index);
    return __shfl_sync(0xffffffffu, before, first) +
           static_cast<Word>(__popc(adding & ((1u << lane) - 1)));
  }
  /// The vote and the shuffle are part of the addition.
  __device__ __forceinline__ std::uint32_t without(std::uint32_t link, unsigned index) const {
    return computed_here(link | index);
  }

  unsigned lane;
};

}  // namespace finesync::instructions
