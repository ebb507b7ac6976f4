// SPDX-License-Identifier: Apache-2.0
// The scatter step of a sort, by tiles: a block sorts a tile of requests in shared memory and
// writes each queue's part of it as one run. Random stores of single entries dominate a plain
// scatter, as the L2 merges each into its sector. For batch_queues (queues.cuh).
#pragma once

#include "finesync/conflict_free/sorting.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/block_scan.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/shared_storage.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// The shared memory of a tile, which is all that its kernel has.
/// \tparam Entry of the requests.
template <class Entry>
class tile {
 public:
  /// Requests per thread, in registers.
  static constexpr unsigned requests_of_thread = 48 / sizeof(Entry);

  __host__ __device__ static constexpr std::size_t bytes(std::uint32_t queues, unsigned threads) {
    const std::size_t slots = std::size_t{threads} * requests_of_thread;
    return align(sizeof(block_scan)) + align(slots * sizeof(Entry)) +
           align(queues * sizeof(std::uint32_t)) * 2 + slots * sizeof(std::uint16_t);
  }
  /// A queue's number has 16 bits.
  static constexpr std::uint32_t max_queues = 1u << 16;

  __device__ explicit tile(std::uint32_t queues) : queues_(queues) {
    const std::size_t slots = std::size_t{block_threads()} * requests_of_thread;
    unsigned char* at = shared_bytes();
    const auto next = [&](std::size_t bytes) {
      unsigned char* const here = at;
      at += align(bytes);
      return here;
    };
    prefix_ = reinterpret_cast<block_scan*>(next(sizeof(block_scan)));
    sorted_ = reinterpret_cast<cell<Entry>*>(next(slots * sizeof(Entry)));
    counts_ = reinterpret_cast<cell<std::uint32_t>*>(next(queues * sizeof(std::uint32_t)));
    places_ = reinterpret_cast<cell<std::uint32_t>*>(next(queues * sizeof(std::uint32_t)));
    queue_of_ = reinterpret_cast<cell<std::uint16_t>*>(at);
  }

  /// Sorts requests `first` to `end` - 1, at most as many as the tile has slots. All threads of the
  /// block call it.
  template <class Requests>
  __device__ void scatter(const Requests& requests, std::uint32_t first, std::uint32_t end,
                          const queue_words& words, cell<Entry>* entries) {
    using atomic_word = atomic_ref<std::uint32_t, scope::block>;
    constexpr auto relaxed = memory_order::relaxed;
    for (std::uint32_t q = thread_rank(); q < queues_; q += block_threads()) counts_[q] = 0;
    __syncthreads();

    // One register holds a request's queue and, above it, its rank in that queue within the tile.
    constexpr unsigned queue_bits = 16;
    Entry own[requests_of_thread];
    std::uint32_t turn[requests_of_thread];
    for (unsigned i = 0; i < requests_of_thread; ++i) {
      const std::uint32_t at = first + i * block_threads() + thread_rank();
      const keyed_entry<Entry> wanted = requests(at < end ? at : first);
      own[i] = wanted.entry;
      turn[i] = wanted.queue;
    }
    for (unsigned i = 0; i < requests_of_thread; ++i) {
      const std::uint32_t at = first + i * block_threads() + thread_rank();
      if (at < end) turn[i] |= atomic_word(counts_[turn[i]]).fetch_add(1, relaxed) << queue_bits;
    }
    __syncthreads();
    reserve(words);

    for (unsigned i = 0; i < requests_of_thread; ++i) {
      const std::uint32_t at = first + i * block_threads() + thread_rank();
      if (at >= end) continue;
      const std::uint32_t queue = turn[i] % (1u << queue_bits);
      const std::uint32_t slot = counts_[queue] + (turn[i] >> queue_bits);
      sorted_[slot] = own[i];
      queue_of_[slot] = static_cast<std::uint16_t>(queue);
      if constexpr (requires { requests.placed(at, slot); }) {
        const std::uint32_t place = slot + places_[queue];
        requests.placed(at, place);
      }
    }
    __syncthreads();
    for (std::uint32_t slot = thread_rank(); slot < end - first; slot += block_threads()) {
      const std::uint16_t queue = queue_of_[slot];
      const Entry entry = sorted_[slot];
      entries[slot + places_[queue]] = entry;
    }
  }

 private:
  __host__ __device__ static constexpr std::size_t align(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
  }

  /// Turns the queues' counts into their first slots, and `places_` into the distance from a slot
  /// to its place. Each thread has some consecutive queues, and reserves places of several at once.
  __device__ void reserve(const queue_words& words) {
    constexpr unsigned in_flight = 4;
    const std::uint32_t each = (queues_ + block_threads() - 1) / block_threads();
    const std::uint32_t begin = thread_rank() * each < queues_ ? thread_rank() * each : queues_;
    const std::uint32_t end = queues_ - begin < each ? queues_ : begin + each;
    std::uint32_t mine = 0;
    for (std::uint32_t first = begin; first < end; first += in_flight) {
      std::uint32_t place[in_flight] = {};
      for (unsigned k = 0; k < in_flight; ++k) {
        if (first + k >= end) continue;
        const std::uint32_t number = counts_[first + k];
        mine += number;
        if (number != 0) {
          place[k] = atomic_ref<std::uint32_t, scope::device>(words.of(first + k))
                         .fetch_add(number, memory_order::relaxed);
        }
      }
      for (unsigned k = 0; k < in_flight; ++k)
        if (first + k < end) places_[first + k] = place[k];
    }
    std::uint32_t total;
    std::uint32_t slot = prefix_->exclusive_sum(mine, total);
    for (std::uint32_t q = begin; q < end; ++q) {
      const std::uint32_t number = counts_[q];
      const std::uint32_t place = places_[q];
      counts_[q] = slot;
      places_[q] = place - slot;
      slot += number;
    }
    __syncthreads();
  }

  std::uint32_t queues_;
  block_scan* prefix_;
  cell<Entry>* sorted_;            ///< per slot
  cell<std::uint16_t>* queue_of_;  ///< per slot
  cell<std::uint32_t>* counts_;    ///< per queue
  cell<std::uint32_t>* places_;    ///< per queue
};

template <class Requests, class Entry>
__global__ void __launch_bounds__(1024)
    scatter_tiles(Requests requests, std::uint32_t number, std::uint32_t queues, queue_words words,
                  cell<Entry>* entries) {
  assume_one_dimension();
  tile<Entry> here(queues);
  const std::uint32_t slots = block_threads() * tile<Entry>::requests_of_thread;
  for (std::uint32_t first = block_rank() * slots; first < number; first += grid_blocks() * slots) {
    const std::uint32_t end = number - first < slots ? number : first + slots;
    here.scatter(requests, first, end, words, entries);
  }
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
