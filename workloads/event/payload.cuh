// Payloads, announced by events or in the words of events, by one interface.
//
//|  a producer:  to.put(round, before_arrival)
//|  a consumer:  from.wait(round, watchdog, found)   from.read(round, found)
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/memory_model.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_rounds.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/events/row_share.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/event/run_config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync::hand_off {

/// The word `index` of a producer's payload. It takes few instructions, as they count as part of
/// the hand-off.
__device__ inline std::uint32_t payload_word(std::uint32_t round, unsigned producer,
                                             unsigned index) {
  return round * 2654435761u + producer * 1299721u + index * 16777619u;
}

/// What a thread has found in payloads, in accesses.
struct found_parts {
  std::uint32_t stale = 0;  ///< not of the round
  std::uint32_t read = 0;

  __device__ void expect(bool is_right) {
    stale += !is_right;
    ++read;
  }
};

/// Plain memory, announced by events. Threads have 16 bytes at a time.
template <class Events>
class announced_payload {
  struct alignas(16) part {
    std::uint32_t words[4];

    __device__ static part of(std::uint32_t round, unsigned producer, unsigned index) {
      part made;
      for (unsigned i = 0; i < 4; ++i) made.words[i] = payload_word(round, producer, 4 * index + i);
      return made;
    }
    __device__ bool operator==(const part& other) const {
      std::uint32_t different = 0;
      for (unsigned i = 0; i < 4; ++i) different |= words[i] ^ other.words[i];
      return different == 0;
    }
  };
  static constexpr unsigned part_bytes = sizeof(part);
  using rounds = event_rounds<Events>;

 public:
  static constexpr bool waits_for_block = Events::waits_for_block;

  class ref_type;

  /// A block's own payload, or those of all its producers.
  template <unsigned Most>
  class end {
    using rows = row_share<Most>;
    using place = typename rows::place;
    static constexpr unsigned batch = rows::batch;

   public:
    template <class BeforeArrival>
    __device__ void put(std::uint32_t round, BeforeArrival before_arrival) const {
      own_.each_batch([&](const place(&places)[batch], unsigned number) {
        for (unsigned k = 0; k < batch; ++k)
          if (k < number) at(places[k]) = part::of(round, places[k].row, places[k].index);
        return true;
      });
      before_arrival();
      event_.arrive(producer_, round);
    }
    __device__ bool wait(std::uint32_t round, const watchdog_ref& watchdog, found_parts&) const {
      return event_.wait(round, watchdog);
    }
    __device__ void read(std::uint32_t round, found_parts& found) const {
      own_.each_batch([&](const place(&places)[batch], unsigned number) {
        part parts[batch];
        for (unsigned k = 0; k < batch; ++k) parts[k] = at(places[k]);
        for (unsigned k = 0; k < batch; ++k)
          if (k < number) found.expect(parts[k] == part::of(round, places[k].row, places[k].index));
        return true;
      });
    }

   private:
    friend class ref_type;
    __device__ end(const typename rounds::event& event, cell<part>* payloads, unsigned per_payload,
                   unsigned producer, const rows& own)
        : event_(event),
          payloads_(payloads),
          per_payload_(per_payload),
          producer_(producer),
          own_(own) {}

    __device__ cell<part>& at(const place& where) const {
      return payloads_[std::size_t{where.row} * per_payload_ + where.index];
    }

    typename rounds::event event_;
    cell<part>* payloads_;
    unsigned per_payload_;
    unsigned producer_;  ///< among those of its event
    rows own_;
  };

  class ref_type {
   public:
    ref_type(const typename rounds::ref_type& events, cell<part>* payloads, unsigned per_payload)
        : events_(events), payloads_(payloads), per_payload_(per_payload) {}

    /// The payloads of some producers of an event. \param first_of_event its first producer.
    template <unsigned Most>
    __device__ end<Most> end_of(unsigned event, unsigned first_of_event, unsigned first,
                                unsigned producers) const {
      return end<Most>(events_.at(event), payloads_, per_payload_, first - first_of_event,
                       row_share<Most>(per_payload_, first, producers));
    }

   private:
    typename rounds::ref_type events_;
    cell<part>* payloads_;
    unsigned per_payload_;
  };

  /// \param events each of `producers` producers; all together have numbers from 0 on.
  announced_payload(unsigned events, unsigned producers, const run_config& config)
      : per_payload_((config.payload_bytes + part_bytes - 1) / part_bytes),
        events_(events, producers),
        payloads_(std::size_t{events} * producers * per_payload_) {}

  void reset() {
    events_.reset();
    payloads_.fill_bytes(0);
  }
  ref_type ref() const { return ref_type(events_.ref(), payloads_.device_data(), per_payload_); }

  /// Accesses that a payload takes.
  unsigned accesses() const { return per_payload_; }

 private:
  unsigned per_payload_;
  rounds events_;
  buffer<part> payloads_;
};

/// In the words of events, one event per producer.
template <class Words>
class payload_in_words {
  __device__ static event_data part_of(std::uint32_t round, unsigned producer, unsigned index) {
    return {payload_word(round, producer, 3 * index), payload_word(round, producer, 3 * index + 1),
            payload_word(round, producer, 3 * index + 2)};
  }

 public:
  static constexpr bool waits_for_block = false;

  template <unsigned Most>
  class end {
   public:
    using share = typename Words::template share<Most>;

    __device__ explicit end(const share& own) : own_(own) {}

    template <class BeforeArrival>
    __device__ void put(std::uint32_t round, BeforeArrival before_arrival) const {
      before_arrival();
      own_.put(round,
               [&](unsigned producer, unsigned index) { return part_of(round, producer, index); });
    }
    __device__ bool wait(std::uint32_t round, const watchdog_ref& watchdog,
                         found_parts& found) const {
      return own_.take(round, watchdog,
                       [&](unsigned producer, unsigned index, const event_data& data) {
                         const event_data right = part_of(round, producer, index);
                         found.expect(((data.first ^ right.first) | (data.second ^ right.second) |
                                       (data.third ^ right.third)) == 0);
                       });
    }
    __device__ void read(std::uint32_t, found_parts&) const {}

   private:
    share own_;
  };

  class ref_type {
   public:
    explicit ref_type(const typename Words::ref_type& words) : words_(words) {}

    template <unsigned Most>
    __device__ end<Most> end_of(unsigned, unsigned, unsigned first, unsigned producers) const {
      return end<Most>(words_.template share_of<Most>(first, producers));
    }

   private:
    typename Words::ref_type words_;
  };

  payload_in_words(unsigned events, unsigned producers, const run_config& config)
      : per_payload_(Words::words_for(config.payload_bytes)),
        words_(events * producers, config.payload_bytes) {}

  void reset() { words_.reset(); }
  ref_type ref() const { return ref_type(words_.ref()); }

  unsigned accesses() const { return per_payload_; }

 private:
  unsigned per_payload_;
  Words words_;
};

template <class Events>
concept has_payload = requires {
  requires Events::carries_payload;
};

/// How a primitive of the catalogue hands a payload over.
template <class Events>
struct payload_by {
  using type = announced_payload<Events>;
};
template <has_payload Words>
struct payload_by<Words> {
  using type = payload_in_words<Words>;
};
template <class Events>
using payload_of = typename payload_by<Events>::type;

}  // namespace finesync::hand_off
