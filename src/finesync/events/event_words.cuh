// SPDX-License-Identifier: Apache-2.0
// Events that carry their payload: 128-bit words, each with 12 bytes of data and the round to which
// they belong. Consumers poll the words themselves, and no fence is needed.
//
//|  producer:  put(round, make)            consumer:  take(round, use)
//|               │  ┌───────────────────────────────┐   │
//|               └─>│ data | data | data | round    │<──┘ polls until the word has the round
//|                  └───────────────────────────────┘
//
// Use: const auto own = ref.share_of(first, events), once: a thread's share of the words; then
//   own.put(round, [&](unsigned event, unsigned index) { return event_data{...}; }) or
//   own.take(round, watchdog, [&](unsigned event, unsigned index, const event_data& data) {...})
// Participants: the threads of one producing block per event, and of any number of consuming
// blocks.
//   They share the words: thread t has words t, t + block_threads(), ... of the events together.
// Scope: device.
// Ordering: of the data in the words, by the words alone: each is one access that cannot tear. It
//   orders nothing else, neither other memory nor one word against another. A thread has its own
//   share when take() returns; the block has all of it after a barrier.
// Rounds: the round of a put() differs from what the word holds, that is from the last one's and,
//   in the beginning, from 0.
// When a word is free again: take(round) waits for exactly this round, so a word that is put again
//   before a consumer has read it hangs that consumer. A producer may put it again once it knows,
//   by whatever comes back from the consumers, that all of them have read it:
//   - an event in return: the consumer's threads took the words before they arrived at it, and the
//     producer's thread has waited for it. Words in return count, share by share, between blocks of
//     as many threads: who has taken words t, ... of all consumers may put words t, ... again;
//   - two events in turn, in rounds in which each block puts to all others and takes from them: who
//     puts round r + 2 has taken round r + 1 of all, and they put that when they had taken round r.
//     A barrier of the block separates its takes from its next puts.
// Progress: blocking; a consumer waits for the producers only.
// Residency: as event_counts.cuh.
// Traffic: a store per word, and a load per word and poll; the words of an event begin on a line of
//   their own. For payloads of up to some KB: 1.33 times their bytes are read at each poll.
// Reset: none between rounds or launches whose rounds go on.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/ptx/computed_here.cuh"
#include "finesync/device/ptx/message_128.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/events/row_share.cuh"
#include "finesync/host/buffer.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The data of one word.
struct event_data {
  std::uint32_t first;
  std::uint32_t second;
  std::uint32_t third;
};

/// How a word is written and recognised, as a policy, so that tests can break it.
struct event_tags {
  __device__ static void store(cell<message_128>& word, const message_128& m) {
    store_message(word, m);
  }
  __device__ static std::uint32_t round_of(const message_128& m) {
    return static_cast<std::uint32_t>(m.high >> 32);
  }
  __device__ static bool is_of(const message_128& m, std::uint32_t round) {
    return round_of(m) == round;
  }
};

/// Owns the words of some events, all with payloads of one size.
template <class Tags = event_tags>
class event_words {
  struct alignas(line_bytes) line {
    cell<message_128> words[line_bytes / sizeof(message_128)];
  };

 public:
  static constexpr unsigned bytes_per_word = sizeof(event_data);
  static constexpr bool carries_payload = true;

  class ref_type;

  /// A thread's share of the words of some events. \tparam Most see row_share.cuh.
  template <unsigned Most>
  class share {
    using rows = row_share<Most>;
    using place = typename rows::place;
    static constexpr unsigned batch = rows::batch;

   public:
    /// \param make(event, index) gives the data of a word.
    template <class Make>
    __device__ void put(std::uint32_t round, Make make) const {
      own_.each_batch([&](const place(&places)[batch], unsigned number) {
        for (unsigned k = 0; k < batch; ++k) {
          if (k >= number) break;
          const event_data data = make(places[k].row, places[k].index);
          Tags::store(word(places[k]), {data.first | std::uint64_t{data.second} << 32,
                                        data.third | std::uint64_t{round} << 32});
        }
        return true;
      });
    }

    /// Waits for all words of the share, a few at a time; use(event, index, data) gets each once,
    /// in the order of the share. \returns false when the watchdog ended the wait.
    template <class Use>
    __device__ bool take(std::uint32_t round, const watchdog_ref& watchdog, Use use) const {
      return own_.each_batch([&](const place(&places)[batch], unsigned number) {
        message_128 found[batch];
        const auto have_come = [&] {
          for (unsigned k = 0; k < batch; ++k) found[k] = begin_load_message(word(places[k]));
          bool all = true;
          for (unsigned k = 0; k < batch; ++k) all = all && Tags::is_of(found[k], round);
          return all;
        };
        const auto missing = [&] {
          // Of the first word, if it is missing: to look at the others takes eight registers.
          if (Tags::is_of(found[0], round)) return wait_evidence{};
          return wait_evidence{Tags::round_of(found[0]), round, &word(places[0])};
        };
        bounded_wait wait(watchdog, awaited::event);
        while (!poll_briefly(have_come))
          if (wait.timed_out(missing)) return false;
        for (unsigned k = 0; k < batch; ++k) keep_128_bits(found[k]);  // of any poll
        for (unsigned k = 0; k < batch; ++k)
          if (k < number) use(places[k].row, places[k].index, data_of(found[k]));
        return true;
      });
    }

   private:
    friend class ref_type;

    __device__ share(cell<message_128>* words, unsigned stride, const rows& own)
        : first_(computed_here(words + std::size_t{own.first().row} * stride + own.first().index)),
          stride_(stride),
          own_(own) {}

    __device__ cell<message_128>& word(const place& at) const {
      const auto events_on = static_cast<std::ptrdiff_t>(at.row - own_.first().row);
      const auto words_on = static_cast<int>(at.index - own_.first().index);
      return first_[events_on * static_cast<std::ptrdiff_t>(stride_) + words_on];
    }
    __device__ static event_data data_of(const message_128& m) {
      return {static_cast<std::uint32_t>(m.low), static_cast<std::uint32_t>(m.low >> 32),
              static_cast<std::uint32_t>(m.high)};
    }

    cell<message_128>* first_;  ///< of the share
    unsigned stride_;
    rows own_;
  };

  class ref_type {
   public:
    ref_type(cell<message_128>* words, unsigned per_event, unsigned stride)
        : words_(words), per_event_(per_event), stride_(stride) {}

    /// The calling thread's share of the events from `first` on; all threads of the block call it.
    template <unsigned Most = 0>
    __device__ share<Most> share_of(unsigned first, unsigned events = 1) const {
      return share<Most>(words_, stride_, row_share<Most>(per_event_, first, events));
    }

   private:
    cell<message_128>* words_;
    unsigned per_event_;
    unsigned stride_;
  };

  /// Words of a payload.
  static unsigned words_for(unsigned bytes) {
    return (bytes + bytes_per_word - 1) / bytes_per_word;
  }

  /// \param bytes of payload of each event, at least 1.
  /// \throws std::bad_alloc if device memory is used up.
  event_words(unsigned events, unsigned bytes, const placement& on = {})
      : per_event_(words_for(bytes)),
        lines_per_event_((per_event_ + words_per_line - 1) / words_per_line),
        lines_(
            std::size_t{events} * lines_per_event_, on,
            {.object = "event", .object_bytes = lines_per_event_ * line_bytes, .value = "round"}) {}

  /// Zeroes the words, in stream order: rounds may begin at 1 again.
  void reset() { lines_.reset(); }
  ref_type ref() const {
    return ref_type(lines_.device_data()->words, per_event_, lines_per_event_ * words_per_line);
  }

 private:
  static constexpr unsigned words_per_line = line_bytes / sizeof(message_128);

  unsigned per_event_;
  unsigned lines_per_event_;
  zeroed_states<line> lines_;
};

}  // namespace finesync::inline FINESYNC_ABI
