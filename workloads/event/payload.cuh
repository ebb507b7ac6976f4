// Payloads, announced by events or in the words of events, by one interface.
//
//|  a producer:  to.put(round, before_arrival)
//|  a consumer:  from.wait(round)   from.read(round, found)
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/memory_model.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_rounds.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/event/run_config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync::hand_off {

/// The word `index` of a producer's payload.
__device__ inline std::uint32_t payload_word(std::uint32_t round, unsigned producer,
                                             unsigned index) {
  return round * 2654435761u ^ (producer << 20 | index) * 40503u;
}

/// What a thread has found in payloads.
struct found_words {
  std::uint32_t stale = 0;  ///< words that are not the round's
  std::uint32_t read = 0;

  __device__ void expect(std::uint32_t round, unsigned producer, unsigned index,
                         std::uint32_t word) {
    stale += word != payload_word(round, producer, index);
    ++read;
  }
};

/// Plain memory, made known by events. Threads have 16 bytes at a time, `AtOnce` loads under way.
template <class Events>
class announced_payload {
  struct alignas(16) piece {
    std::uint32_t words[4];
  };
  static constexpr unsigned piece_bytes = sizeof(piece);
  using rounds = event_rounds<Events>;

 public:
  static constexpr bool waits_for_block = Events::waits_for_block;

  class ref_type;

  class producer {
   public:
    template <class BeforeArrival>
    __device__ void put(std::uint32_t round, BeforeArrival before_arrival) const {
      for (unsigned i = threadIdx.x; i < pieces_; i += blockDim.x)
        payload_[i] = piece{
            {payload_word(round, number_, 4 * i), payload_word(round, number_, 4 * i + 1),
             payload_word(round, number_, 4 * i + 2), payload_word(round, number_, 4 * i + 3)}};
      before_arrival();
      event_.arrive(number_ - first_, round);
    }

   private:
    friend class ref_type;
    __device__ producer(const ref_type& from, unsigned number, unsigned event, unsigned first)
        : event_(from.events_.at(event)),
          payload_(from.payloads_ + std::size_t{number} * from.pieces_),
          pieces_(from.pieces_),
          number_(number),
          first_(first) {}

    typename rounds::event event_;
    cell<piece>* payload_;
    unsigned pieces_;
    unsigned number_;
    unsigned first_;
  };

  template <unsigned AtOnce>
  class consumer {
   public:
    __device__ bool wait(std::uint32_t round, const watchdog_ref& watchdog, found_words&) const {
      return event_.wait(round, watchdog);
    }
    __device__ void read(std::uint32_t round, found_words& found) const {
      for (unsigned i = threadIdx.x; i < all_; i += AtOnce * blockDim.x) {
        piece pieces[AtOnce];
        for (unsigned k = 0; k < AtOnce; ++k)
          if (i + k * blockDim.x < all_) pieces[k] = payloads_[i + k * blockDim.x];
        for (unsigned k = 0; k < AtOnce; ++k) {
          const unsigned at = i + k * blockDim.x;
          if (at >= all_) break;
          const unsigned producer = pieces_ == all_ ? 0 : at / pieces_;
          for (unsigned word = 0; word < 4; ++word)
            found.expect(round, first_ + producer, 4 * (at - producer * pieces_) + word,
                         pieces[k].words[word]);
        }
      }
    }

   private:
    friend class ref_type;
    __device__ consumer(const ref_type& from, unsigned event, unsigned first, unsigned producers)
        : event_(from.events_.at(event)),
          payloads_(from.payloads_ + std::size_t{first} * from.pieces_),
          pieces_(from.pieces_),
          first_(first),
          all_(producers * from.pieces_) {}

    typename rounds::event event_;
    const cell<piece>* payloads_;
    unsigned pieces_;
    unsigned first_;
    unsigned all_;
  };

  class ref_type {
   public:
    ref_type(const typename rounds::ref_type& events, cell<piece>* payloads, unsigned pieces)
        : events_(events), payloads_(payloads), pieces_(pieces) {}

    /// Producer `number` of those of an event, the first of which is `first`.
    __device__ producer producer_of(unsigned event, unsigned number, unsigned first) const {
      return producer(*this, number, event, first);
    }
    template <unsigned AtOnce>
    __device__ consumer<AtOnce> consumer_of(unsigned event, unsigned first,
                                            unsigned producers) const {
      return consumer<AtOnce>(*this, event, first, producers);
    }

   private:
    friend class producer;
    template <unsigned>
    friend class consumer;
    typename rounds::ref_type events_;
    cell<piece>* payloads_;
    unsigned pieces_;
  };

  /// \param events each of `producers` producers; all together have numbers from 0 on.
  announced_payload(unsigned events, unsigned producers, const run_config& config)
      : pieces_((config.payload_bytes + piece_bytes - 1) / piece_bytes),
        events_(events, producers),
        payloads_(std::size_t{events} * producers * pieces_) {}

  void reset() {
    events_.reset();
    payloads_.fill_bytes(0);
  }
  ref_type ref() const { return ref_type(events_.ref(), payloads_.device_data(), pieces_); }

  /// Words of a payload, and threads that a consumer of some payloads has work for.
  unsigned words() const { return 4 * pieces_; }
  unsigned accesses() const { return pieces_; }

 private:
  unsigned pieces_;
  rounds events_;
  buffer<piece> payloads_;
};

/// In the words of events, one event per producer.
template <class Words>
class payload_in_words {
  using share = typename Words::share;

 public:
  static constexpr bool waits_for_block = false;

  class producer {
   public:
    __device__ explicit producer(const share& own) : own_(own) {}
    template <class BeforeArrival>
    __device__ void put(std::uint32_t round, BeforeArrival before_arrival) const {
      before_arrival();
      own_.put(round, [&](unsigned event, unsigned index) {
        return event_data{payload_word(round, event, 3 * index),
                          payload_word(round, event, 3 * index + 1),
                          payload_word(round, event, 3 * index + 2)};
      });
    }

   private:
    share own_;
  };

  template <unsigned AtOnce>
  class consumer {
   public:
    __device__ explicit consumer(const share& own) : own_(own) {}

    __device__ bool wait(std::uint32_t round, const watchdog_ref& watchdog,
                         found_words& found) const {
      return own_.template take<AtOnce>(
          round, watchdog, [&](unsigned event, unsigned index, const event_data& data) {
            found.expect(round, event, 3 * index, data.first);
            found.expect(round, event, 3 * index + 1, data.second);
            found.expect(round, event, 3 * index + 2, data.third);
          });
    }
    __device__ void read(std::uint32_t, found_words&) const {}

   private:
    share own_;
  };

  class ref_type {
   public:
    explicit ref_type(const typename Words::ref_type& words) : words_(words) {}

    __device__ producer producer_of(unsigned, unsigned number, unsigned) const {
      return producer(words_.share_of(number));
    }
    template <unsigned AtOnce>
    __device__ consumer<AtOnce> consumer_of(unsigned, unsigned first, unsigned producers) const {
      return consumer<AtOnce>(words_.share_of(first, producers));
    }

   private:
    typename Words::ref_type words_;
  };

  payload_in_words(unsigned events, unsigned producers, const run_config& config)
      : per_payload_(Words::words_for(config.payload_bytes)),
        words_(events * producers, config.payload_bytes) {}

  void reset() { words_.reset(); }
  ref_type ref() const { return ref_type(words_.ref()); }

  unsigned words() const { return 3 * per_payload_; }
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
