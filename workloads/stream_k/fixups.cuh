// Fix-ups: how the blocks of a tile that is cut add up their sums. One interface:
//
//|  Fixup(split, threads_per_block)   reset()   ref()
//|  ref.add(product, piece, sum, watchdog)   by all threads of the block, once for each piece that
//|                                           is no whole tile; false if the watchdog ended a wait
//
// The outputs are zero before a run.
#pragma once

#include "multiply.cuh"

#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/observer.cuh>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace finesync::stream_k {

/// Each block adds to the output under the tile's lock, in any order. \tparam Lock with a leave()
/// that does not wait.
template <class Lock>
class under_lock {
  static_assert(exclusive_lock<Lock> && !passes_value<Lock>);

 public:
  class ref_type {
   public:
    explicit ref_type(const lock_table_ref<Lock>& locks) : locks_(locks) {}

    __device__ bool add(const product& all, const piece& own, const sums& sum,
                        const watchdog_ref& watchdog) const {
      Lock lock = locks_[own.tile];
      typename Lock::acquisition acquisition{};
      bool in_time = true;
      if (threadIdx.x == 0) {
        acquisition = lock.enqueue();
        no_observer observer;
        in_time = enter_exclusive<other_lanes::idle>(lock, acquisition, watchdog, observer);
      }
      if (__syncthreads_or(!in_time) != 0) return false;
      sums total = all.out.load(own.tile);
      total.add(sum);
      all.out.store(own.tile, total);
      __syncthreads();
      if (threadIdx.x == 0) lock.leave(acquisition);
      return true;
    }

   private:
    lock_table_ref<Lock> locks_;
  };

  under_lock(const even_split& split, unsigned) : locks_(split.tiles, lock_layout::padded) {}

  void reset() { locks_.reset(); }
  ref_type ref() const { return ref_type(locks_.ref()); }

 private:
  lock_table<Lock> locks_;
};

/// Each block adds to the output in its turn: when all blocks before it have arrived at the tile's
/// event. So sums are always added in the same order.
template <class Events>
class in_turn {
 public:
  class ref_type {
   public:
    explicit ref_type(const typename Events::ref_type& events) : events_(events) {}

    __device__ bool add(const product& all, const piece& own, const sums& sum,
                        const watchdog_ref& watchdog) const {
      const auto turn = events_.at(own.tile);
      const unsigned before = blockIdx.x - own.first_block;
      const unsigned blocks = own.last_block - own.first_block + 1;
      sums total = sum;
      if (before != 0) {
        if (!turn.wait((all.round - 1) * blocks + before, watchdog)) return false;
        total = all.out.load(own.tile);
        total.add(sum);
      }
      all.out.store(own.tile, total);
      turn.arrive();
      return true;
    }

   private:
    typename Events::ref_type events_;
  };

  in_turn(const even_split& split, unsigned) : events_(split.tiles) {}

  void reset() { events_.reset(); }
  ref_type ref() const { return ref_type(events_.ref()); }

 private:
  Events events_;
};

/// The last block of a tile waits until the others have stored their sums, and adds them up.
template <class Events>
class after_event {
 public:
  class ref_type {
   public:
    ref_type(const typename Events::ref_type& events, cell<float>* parts)
        : events_(events), parts_{parts} {}

    __device__ bool add(const product& all, const piece& own, const sums& sum,
                        const watchdog_ref& watchdog) const {
      const auto stored = events_.at(own.tile);
      if (blockIdx.x != own.last_block) {
        parts_.store(blockIdx.x, sum);  // a block has one such piece: that of its last tile
        stored.arrive();
        return true;
      }
      if (!stored.wait(all.round * (own.last_block - own.first_block), watchdog)) return false;
      sums total = sum;
      for (unsigned block = own.first_block; block < own.last_block; ++block)
        total.add(parts_.load(block));
      all.out.store(own.tile, total);
      return true;
    }

   private:
    typename Events::ref_type events_;
    stored_sums parts_;  ///< by block
  };

  after_event(const even_split& split, unsigned threads_per_block)
      : events_(split.tiles),
        parts_(std::size_t{split.blocks} * columns_per_thread * threads_per_block,
               "sums of blocks") {}

  void reset() { events_.reset(); }
  ref_type ref() const { return ref_type(events_.ref(), parts_.device_data()); }

 private:
  Events events_;
  buffer<float> parts_;
};

/// The same, with the sums in event words: an event per block, a word per thread. No fence, no
/// counter, no barrier of the block: each thread waits for its own columns.
template <class Words>
class from_words {
 public:
  class ref_type {
   public:
    explicit ref_type(const typename Words::ref_type& words) : words_(words) {}

    __device__ bool add(const product& all, const piece& own, const sums& sum,
                        const watchdog_ref& watchdog) const {
      if (blockIdx.x != own.last_block) {
        words_.share_of(blockIdx.x).put(all.round, [&](unsigned, unsigned) {
          event_data word;
          static_assert(sizeof word == sizeof sum);
          std::memcpy(&word, &sum, sizeof word);
          return word;
        });
        return true;
      }
      sums total = sum;
      const auto add_word = [&](unsigned, unsigned, const event_data& word) {
        sums part;
        std::memcpy(&part, &word, sizeof part);
        total.add(part);
      };
      const unsigned others = own.last_block - own.first_block;
      // If only some threads are in time, no barrier waits for the others: this piece is the last.
      if (!words_.share_of(own.first_block, others).take(all.round, watchdog, add_word))
        return false;
      all.out.store(own.tile, total);
      return true;
    }

   private:
    typename Words::ref_type words_;
  };

  from_words(const even_split& split, unsigned threads_per_block)
      : words_(split.blocks, threads_per_block * sizeof(event_data)) {}

  void reset() { words_.reset(); }
  ref_type ref() const { return ref_type(words_.ref()); }

 private:
  Words words_;
};

}  // namespace finesync::stream_k
