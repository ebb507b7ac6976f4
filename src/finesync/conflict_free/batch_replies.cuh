// SPDX-License-Identifier: Apache-2.0
// Two-bit replies of the sections of a batch, at the places of their entries. A thread that makes a
// request keeps the place (see batch_queues::sort()) and reads the reply there after the batch.
//
// Use: batch_replies.ref()[place], after the batch
// Participants: any threads; each replies for its own entries.
// Scope: device.
// Ordering: relaxed; the end of the kernel that replies orders the rest.
// Progress: wait-free.
// Traffic: one word per 16 consecutive places; a word that others share is set by an atomic without
//   a return value.
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

namespace finesync::inline FINESYNC_ABI {

/// Replies of consecutive places as one word, the first in its highest bits.
class reply_word {
 public:
  static constexpr unsigned bits = 2;  ///< per reply; 0 means no reply
  static constexpr unsigned places = 32 / bits;

  __device__ __forceinline__ void append(unsigned reply) {
    word_ = word_ * (1u << bits) + reply;
    ++number_;
  }
  /// Appends two replies, the first in the higher bits.
  __device__ __forceinline__ void append_two(unsigned replies) {
    word_ = word_ * (1u << 2 * bits) + replies;
    number_ += 2;
  }
  /// The word, padded with zeros.
  __device__ __forceinline__ std::uint32_t filled() const {
    return number_ == 0 ? 0 : word_ << bits * (places - number_);
  }

 private:
  std::uint32_t word_ = 0;
  unsigned number_ = 0;
};

/// Queues that each begin with a new word of replies, so that no other thread writes to it.
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
  /// Sets the nonzero bits, with relaxed order. \param shared whether other threads set bits, too.
  __device__ __forceinline__ void put(std::uint32_t word, std::uint32_t set, bool shared) const {
    if (!shared)
      words[word] = set;
    else if (set != 0)
      atomic_ref<std::uint32_t, scope::device>(words[word]).fetch_or(set, memory_order::relaxed);
  }
};

/// For sections without replies.
struct no_replies {};

/// Owns the replies of one batch after another.
class batch_replies {
 public:
  /// \param places per batch: batch_queues::places().
  explicit batch_replies(std::size_t places, const stream& on = {})
      : words_(places / reply_word::places + 2, on) {}

  /// Resets all replies to 0, in its own stream.
  void clear() { words_.fill_bytes(0); }

  /// For the host: a word for each 16 places, in the format of reply_word.
  const buffer<std::uint32_t>& words() const { return words_; }

  batch_replies_ref ref() const { return {words_.device_data()}; }

 private:
  buffer<std::uint32_t> words_;
};

namespace detail {

template <class Replies>
inline constexpr bool are_wanted = !std::is_same_v<Replies, no_replies>;

/// Runs a section, passing the entry's place if it takes one. \returns its reply, if wanted.
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
}  // namespace finesync::inline FINESYNC_ABI
