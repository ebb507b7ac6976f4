// SPDX-License-Identifier: Apache-2.0
// Policies of run_batch_by_blocks() that hand groups of data from the block that used them in one
// round to the block of the next. The data of group g are the words g * size to (g + 1) * size - 1.
//
//|  handoff_by_barrier<Datum, BarrierRef>  a grid barrier between rounds
//|  handoff_by_version<Datum>              every datum is a word (round, value) in the L2, and a
//|                                         block waits only for the words of its own two groups
//
// In the kernel, for run_batch_by_blocks():
//|  participant join(unsigned size, const watchdog_ref&) const   once, by all threads
//|  bool load_groups(objects, since, into)   both groups' data into shared memory, when the rounds
//|                                           before `since` are done; false: the watchdog ended it
//|  void store_groups(objects, done, from)   back, with the rounds that a later load_groups() has
//|                                           as `since`; 0 if no load follows
//|  bool end_round(bool last)                between rounds; false as above, for the whole block
// A barrier of the block must follow load_groups() and precede store_groups(). In both, the same
// thread handles a place, so none is needed between store_groups() and the next load_groups().
#pragma once

#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/conflict_free/pair_schedule.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// Which datum of the batch is at a place of a pair of groups: the first group's data, then the
/// second's. A block spends few instructions per datum and round on it.
class pair_places {
 public:
  /// Loads in flight per thread.
  static constexpr unsigned in_flight = 4;

  __device__ pair_places(const object_pair& objects, unsigned size)
      : size_(size), first_(objects.first * size), second_(objects.second * size - size) {}

  __device__ unsigned number() const { return 2 * size_; }
  __device__ bool is_of_first(unsigned place) const { return place < size_; }
  __device__ std::uint32_t datum_at(unsigned place) const {
    return place + (is_of_first(place) ? first_ : second_);
  }

 private:
  unsigned size_;
  std::uint32_t first_;  ///< from a place to its datum
  std::uint32_t second_;
};

}  // namespace detail

/// Ordering: that of the barrier; accesses to the data are plain.
/// Traffic: one load and one store per datum and round, and that of the barrier.
template <class Datum, grid_barrier BarrierRef>
struct handoff_by_barrier {
  using datum = Datum;

  class participant {
   public:
    __device__ participant(cell<Datum>* data, unsigned size,
                           const typename BarrierRef::participant& barrier)
        : data_(data), size_(size), barrier_(barrier) {}

    __device__ bool load_groups(const object_pair& objects, const object_pair& /*since*/,
                                cell<Datum>* into) const {
      constexpr unsigned in_flight = detail::pair_places::in_flight;
      const detail::pair_places places(objects, size_);
      for (unsigned i = thread_rank(); i < places.number(); i += in_flight * block_threads()) {
        Datum found[in_flight] = {};
        for (unsigned k = 0; k < in_flight; ++k) {
          const unsigned at = i + k * block_threads();
          if (at < places.number()) found[k] = data_[places.datum_at(at)];
        }
        for (unsigned k = 0; k < in_flight; ++k) {
          const unsigned at = i + k * block_threads();
          if (at < places.number()) into[at] = found[k];
        }
      }
      return true;
    }
    __device__ void store_groups(const object_pair& objects, const object_pair& /*done*/,
                                 const cell<Datum>* from) const {
      const detail::pair_places places(objects, size_);
      for (unsigned i = thread_rank(); i < places.number(); i += block_threads())
        data_[places.datum_at(i)] = from[i];
    }
    __device__ bool end_round(bool last) { return last || barrier_.wait(); }

   private:
    cell<Datum>* data_;
    unsigned size_;
    typename BarrierRef::participant barrier_;
  };

  __device__ participant join(unsigned size, const watchdog_ref& watchdog) const {
    return {data, size, barrier.join(watchdog)};
  }

  cell<Datum>* data;
  BarrierRef barrier;
};

/// A datum's word has the value in its lower half. Its upper half is its version: the round after
/// its last use, 0 before the first. The last use of all stores version 0, so between batches a
/// word is its value, widened.
///
/// Ordering: relaxed. A word is accessed whole, so a thread that sees the version sees the value
/// stored with it. A thread stores a word only after it has itself read the previous store, which
/// orders its own store after that one. So a word's versions ascend, and the awaited version is the
/// newest until the waiter itself writes. A word publishes no other memory, so no fence is needed.
/// Progress: a block waits only for two groups' words of earlier rounds. The blocks of the earliest
/// unfinished round do not wait, so no cycle forms among resident blocks.
/// Traffic: one 64-bit load per datum, round and poll; one store per datum and round.
/// Reset: none. After the watchdog has ended a wait the words are undefined: fill them again.
template <class Datum>
struct handoff_by_version {
  static_assert(std::is_integral_v<Datum> && sizeof(Datum) == 4);
  using datum = Datum;

  class participant {
   public:
    __device__ participant(cell<std::uint64_t>* words, unsigned size, const watchdog_ref& watchdog)
        : words_(words), size_(size), watchdog_(watchdog) {}

    __device__ bool load_groups(const object_pair& objects, const object_pair& since,
                                cell<Datum>* into) const {
      constexpr unsigned in_flight = detail::pair_places::in_flight;
      const detail::pair_places places(objects, size_);
      bounded_wait wait(watchdog_, awaited::blocks);
      for (unsigned i = thread_rank(); i < places.number(); i += in_flight * block_threads()) {
        std::uint64_t seen[in_flight] = {};
        unsigned missing = 0;  // one bit per datum that has not arrived
        const auto look = [&](unsigned k) {
          const unsigned at = i + k * block_threads();
          if (at < places.number()) seen[k] = word(places.datum_at(at)).load(memory_order::relaxed);
        };
        const auto is_missing = [&](unsigned k) {
          const unsigned at = i + k * block_threads();
          const unsigned wanted = places.is_of_first(at) ? since.first : since.second;
          return at < places.number() && round_of(seen[k]) != wanted ? 1u << k : 0;
        };
        for (unsigned k = 0; k < in_flight; ++k) look(k);
        for (unsigned k = 0; k < in_flight; ++k) missing |= is_missing(k);
        while (missing != 0) {
          if (wait.timed_out()) return false;
          for (unsigned k = 0; k < in_flight; ++k)
            if ((missing >> k & 1) != 0) look(k);
          missing = 0;
          for (unsigned k = 0; k < in_flight; ++k) missing |= is_missing(k);
        }
        for (unsigned k = 0; k < in_flight; ++k) {
          const unsigned at = i + k * block_threads();
          if (at < places.number()) into[at] = static_cast<Datum>(seen[k]);
        }
      }
      return true;
    }

    __device__ void store_groups(const object_pair& objects, const object_pair& done,
                                 const cell<Datum>* from) const {
      const detail::pair_places places(objects, size_);
      for (unsigned i = thread_rank(); i < places.number(); i += block_threads()) {
        const std::uint64_t round = places.is_of_first(i) ? done.first : done.second;
        const auto value = static_cast<std::uint32_t>(static_cast<Datum>(from[i]));
        word(places.datum_at(i)).store(round << 32 | value, memory_order::relaxed);
      }
    }
    __device__ bool end_round(bool /*last*/) { return true; }

   private:
    __device__ static unsigned round_of(std::uint64_t word) {
      return static_cast<unsigned>(word >> 32);
    }
    __device__ atomic_ref<std::uint64_t, scope::device> word(std::uint32_t datum) const {
      return atomic_ref<std::uint64_t, scope::device>(words_[datum]);
    }

    cell<std::uint64_t>* words_;
    unsigned size_;
    const watchdog_ref& watchdog_;
  };

  __device__ participant join(unsigned size, const watchdog_ref& watchdog) const {
    return {words, size, watchdog};
  }

  cell<std::uint64_t>* words;
};

}  // namespace finesync::inline FINESYNC_ABI
