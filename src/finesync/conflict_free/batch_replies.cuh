// What the sections of a batch answer, two bits each, at the places of their entries: whoever made
// a request keeps its place (see batch_queues::sort()) and looks there when the batch is over.
//
// Participants: any threads; each answers for entries of its own.
// Scope: device.
// Ordering: relaxed; the end of the kernel that answers orders the rest.
// Progress: wait-free.
// Traffic: a word for 16 places in a row, added without a reply where others share it.
// Reset: clear(), before each batch.
#pragma once

#include "finesync/conflict_free/queues.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/stream.cuh"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Answers of places in a row as one word, the first in its highest bits.
class reply_word {
 public:
  static constexpr unsigned bits = 2;  ///< of an answer; 0 is the one that nobody gave
  static constexpr unsigned places = 32 / bits;

  __device__ __forceinline__ void append(unsigned reply) {
    word_ = word_ * (1u << bits) + reply;
    ++number_;
  }
  /// Two of them, the first in the higher bits.
  __device__ __forceinline__ void append_two(unsigned replies) {
    word_ = word_ * (1u << 2 * bits) + replies;
    number_ += 2;
  }
  /// As if zeros had been appended until it is full.
  __device__ __forceinline__ std::uint32_t filled() const {
    return number_ == 0 ? 0 : word_ << bits * (places - number_);
  }

 private:
  std::uint32_t word_ = 0;
  unsigned number_ = 0;
};

/// Queues each of which begins with a word of answers, so that nobody else writes to it.
template <class Entry>
using queues_with_replies = batch_queues<Entry, reply_word::places>;
template <class Entry>
using queues_with_replies_ref = queues_ref<Entry, reply_word::places>;

/// The kernel's side; trivially copyable, passed by value.
struct batch_replies_ref {
  cell<std::uint32_t>* words;

  __device__ unsigned operator[](std::uint32_t place) const {
    constexpr unsigned places = reply_word::places, bits = reply_word::bits;
    const std::uint32_t word = words[place / places];
    return word >> bits * (places - 1 - place % places) & ((1u << bits) - 1);
  }
  /// What of a word is not 0, with relaxed order. \param shared others put into it, too.
  __device__ __forceinline__ void put(std::uint32_t word, std::uint32_t set, bool shared) const {
    if (!shared)
      words[word] = set;
    else if (set != 0)
      atomic_ref<std::uint32_t, scope::device>(words[word]).fetch_or(set, memory_order::relaxed);
  }
};

/// Of sections that answer nothing.
struct no_replies {};

/// Owns the answers of one batch after another.
class batch_replies {
 public:
  /// \param places of a batch: batch_queues::places().
  explicit batch_replies(std::size_t places, const stream& on = {})
      : words_(places / reply_word::places + 2, on) {}

  /// Nobody has answered. Queued in its own stream.
  void clear() { words_.fill_bytes(0); }

  /// For the host: a word for each 16 places, as reply_word has them.
  const buffer<std::uint32_t>& words() const { return words_; }

  batch_replies_ref ref() const { return {words_.device_data()}; }

 private:
  buffer<std::uint32_t> words_;
};

namespace detail {

template <class Replies>
inline constexpr bool are_wanted = !std::is_same_v<Replies, no_replies>;

/// Runs a section, which may take the entry's place besides. \returns its answer, if one is wanted.
template <class Replies, class Section, class Datum, class Entry>
__device__ __forceinline__ unsigned call_section(Section& section, Datum& first, Datum& second,
                                                 const Entry& entry, std::uint32_t place) {
  const auto call = [&] {
    if constexpr (std::is_invocable_v<Section&, Datum&, Datum&, Entry, std::uint32_t>)
      return section(first, second, entry, place);
    else
      return section(first, second, entry);
  };
  if constexpr (are_wanted<Replies>) {
    return static_cast<unsigned>(call());
  } else {
    call();
    return 0;
  }
}

}  // namespace detail
}  // namespace FINESYNC_ABI
}  // namespace finesync
