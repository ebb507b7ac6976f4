// SPDX-License-Identifier: Apache-2.0
// The kernels that sort a batch into queues: count, scan, scatter. Contract: queues.cuh
// (batch_queues).
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/block_scan.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/warp.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// How the threads of a warp add to the words of the queues. Each passes the queue of its request
/// and gets the word's old value.
struct atomic_per_request {
  __device__ static std::uint32_t add(cell<std::uint32_t>& word, std::uint32_t /*queue*/) {
    return atomic_ref<std::uint32_t, scope::device>(word).fetch_add(1, memory_order::relaxed);
  }
};

/// One addition for all lanes with the same queue: for batches with most requests in few queues.
struct atomic_per_warp {
  __device__ static std::uint32_t add(cell<std::uint32_t>& word, std::uint32_t queue) {
    const auto same = lane_group::with_same(queue);
    std::uint32_t first = 0;
    if (same.is_leader()) {
      first = atomic_ref<std::uint32_t, scope::device>(word).fetch_add(
          static_cast<std::uint32_t>(same.size()), memory_order::relaxed);
    }
    return same.get(first, same.leader()) + same.rank();
  }
};

/// One addition per block and queue: a block counts its own chunk of the batch in shared memory,
/// with a word per queue. The fastest while these fit.
struct block_histogram {};

/// Counts in the same way. A block scatters its chunk tile by tile, each sorted in shared memory
/// first. The fastest if a tile has several requests per queue; at most 65,536 queues.
struct tile_sort {};

/// A request and its queue. \tparam Entry request data for the section, 4 or 8 bytes.
template <class Entry>
struct keyed_entry {
  std::uint32_t queue;
  Entry entry;
};

namespace detail {

/// The word of queue q is at (q + 1) * stride; the first word stays 0. It holds first the number of
/// the queue's requests, then its first place, and after the scatter the place after its last. The
/// next queue begins at the next aligned place.
struct queue_words {
  cell<std::uint32_t>* words;
  std::uint32_t stride;

  __device__ cell<std::uint32_t>& of(std::uint32_t queue) const {
    return words[std::size_t{queue + 1} * stride];
  }
};

inline constexpr unsigned requests_in_flight = 8;

/// The first multiple of `multiple` that is not below `place`.
__host__ __device__ constexpr std::uint32_t aligned_to(unsigned multiple, std::uint32_t place) {
  return (place + multiple - 1) / multiple * multiple;
}

/// Adds 1 to the words of all requests, several per thread in flight, and calls then(request i, its
/// entry, the word's old value).
template <class Adding, class Requests, class Then>
__device__ __forceinline__ void add_all(const Requests& requests, std::uint32_t number,
                                        const queue_words& words, Then then) {
  using keyed = decltype(requests(0u));
  const std::uint32_t threads = grid_blocks() * block_threads();
  for (std::uint32_t first = block_rank() * block_threads() + thread_rank(); first < number;
       first += requests_in_flight * threads) {
    keyed wanted[requests_in_flight];
    std::uint32_t before[requests_in_flight] = {};
    for (unsigned i = 0; i < requests_in_flight; ++i) {
      const std::uint32_t at = first + i * threads;
      wanted[i] = requests(at < number ? at : first);  // loads without waiting for a comparison
    }
    for (unsigned i = 0; i < requests_in_flight; ++i) {
      if (first + i * threads < number)
        before[i] = Adding::add(words.of(wanted[i].queue), wanted[i].queue);
    }
    for (unsigned i = 0; i < requests_in_flight; ++i) {
      if (first + i * threads < number) then(first + i * threads, wanted[i].entry, before[i]);
    }
  }
}

/// Puts an entry into its place, and reports the place to `requests` if it has placed().
template <class Requests, class Entry>
struct put_entries {
  const Requests& requests;
  cell<Entry>* entries;

  __device__ void operator()(std::uint32_t i, const Entry& entry, std::uint32_t place) const {
    entries[place] = entry;
    if constexpr (requires { requests.placed(i, place); }) requests.placed(i, place);
  }
};

template <class Adding, class Requests>
__global__ void count_requests(Requests requests, std::uint32_t number, queue_words words) {
  assume_one_dimension();
  add_all<Adding>(requests, number, words, [](std::uint32_t, const auto&, std::uint32_t) {});
}

template <class Adding, class Requests, class Entry>
__global__ void scatter_requests(Requests requests, std::uint32_t number, queue_words words,
                                 cell<Entry>* entries) {
  assume_one_dimension();
  add_all<Adding>(requests, number, words, put_entries<Requests, Entry>{requests, entries});
}

/// A block's chunk of a batch and its counts: the words of all queues, in shared memory, which is
/// all that its kernel has. All threads of the block call the members.
template <class Requests>
class block_chunk {
  using atomic_word = atomic_ref<std::uint32_t, scope::block>;

 public:
  __device__ block_chunk(const Requests& requests, std::uint32_t number, std::uint32_t queues)
      : requests_(requests),
        queues_(queues),
        counts_(reinterpret_cast<cell<std::uint32_t>*>(shared_bytes())) {
    const std::uint32_t length = (number + grid_blocks() - 1) / grid_blocks();
    begin_ = block_rank() * length < number ? block_rank() * length : number;
    end_ = number - begin_ < length ? number : begin_ + length;
    for (std::uint32_t q = thread_rank(); q < queues; q += block_threads()) counts_[q] = 0;
    __syncthreads();
    each([&](std::uint32_t, const auto& wanted) {
      atomic_word(counts_[wanted.queue]).fetch_add(1, relaxed);
    });
    __syncthreads();
  }

  /// Adds the chunk's counts to the queues' words. \param then(the block's own word of a queue, the
  /// old value of the queue's word), for queues with requests in the chunk.
  template <class Then>
  __device__ void add_to(const queue_words& words, Then then) {
    for (std::uint32_t q = thread_rank(); q < queues_; q += block_threads()) {
      const std::uint32_t mine = counts_[q];
      if (mine == 0) continue;
      then(counts_[q],
           atomic_ref<std::uint32_t, scope::device>(words.of(q)).fetch_add(mine, relaxed));
    }
  }

  /// Calls then for each request, its entry, and the old value of the block's own word.
  template <class Then>
  __device__ void count_again(Then then) {
    __syncthreads();
    each([&](std::uint32_t i, const auto& wanted) {
      then(i, wanted.entry, atomic_word(counts_[wanted.queue]).fetch_add(1, relaxed));
    });
  }

 private:
  static constexpr memory_order relaxed = memory_order::relaxed;

  template <class Use>
  __device__ void each(Use use) const {
    for (std::uint32_t first = begin_ + thread_rank(); first < end_;
         first += requests_in_flight * block_threads()) {
      decltype(requests_(0u)) wanted[requests_in_flight];
      for (unsigned i = 0; i < requests_in_flight; ++i) {
        const std::uint32_t at = first + i * block_threads();
        wanted[i] = requests_(at < end_ ? at : first);
      }
      for (unsigned i = 0; i < requests_in_flight; ++i) {
        if (first + i * block_threads() < end_) use(first + i * block_threads(), wanted[i]);
      }
    }
  }

  const Requests& requests_;
  std::uint32_t queues_;
  cell<std::uint32_t>* counts_;
  std::uint32_t begin_;
  std::uint32_t end_;
};

template <class Requests>
__global__ void count_chunks(Requests requests, std::uint32_t number, std::uint32_t queues,
                             queue_words words) {
  assume_one_dimension();
  block_chunk<Requests>(requests, number, queues)
      .add_to(words, [](cell<std::uint32_t>&, std::uint32_t) {});
}

template <class Requests, class Entry>
__global__ void scatter_chunks(Requests requests, std::uint32_t number, std::uint32_t queues,
                               queue_words words, cell<Entry>* entries) {
  assume_one_dimension();
  block_chunk<Requests> chunk(requests, number, queues);
  chunk.add_to(words, [](cell<std::uint32_t>& mine, std::uint32_t place) { mine = place; });
  chunk.count_again(put_entries<Requests, Entry>{requests, entries});
}

inline constexpr unsigned queues_per_scan_thread = 8;

/// Each block sums over its own queues. \tparam Threads per block.
template <unsigned Threads>
__global__ void sum_counts(queue_words words, std::uint32_t queues, unsigned aligned,
                           cell<std::uint32_t>* sums) {
  assume_one_dimension();
  const std::uint32_t first = block_rank() * Threads * queues_per_scan_thread + thread_rank();
  std::uint32_t mine = 0;
  for (unsigned i = 0; i < queues_per_scan_thread; ++i) {
    const std::uint32_t queue = first + i * Threads;
    if (queue < queues) mine += aligned_to(aligned, words.of(queue));
  }
  std::uint32_t total;
  shared_storage<block_scan>().exclusive_sum(mine, total);
  if (is_first_of_block()) sums[block_rank()] = total;
}

/// Turns counts into places: sums over the queues before.
template <unsigned Threads>
__global__ void scan_counts(queue_words words, std::uint32_t queues, unsigned aligned,
                            const cell<std::uint32_t>* sums) {
  assume_one_dimension();
  auto& prefix = shared_storage<block_scan>();
  std::uint32_t mine = 0;
  for (unsigned block = thread_rank(); block < block_rank(); block += Threads) mine += sums[block];
  std::uint32_t blocks_before;
  prefix.exclusive_sum(mine, blocks_before);

  const std::uint32_t first =
      block_rank() * Threads * queues_per_scan_thread + thread_rank() * queues_per_scan_thread;
  std::uint32_t counts[queues_per_scan_thread] = {};
  mine = 0;
  for (unsigned i = 0; i < queues_per_scan_thread; ++i) {
    if (first + i < queues) counts[i] = aligned_to(aligned, words.of(first + i));
    mine += counts[i];
  }
  std::uint32_t total;
  std::uint32_t place = blocks_before + prefix.exclusive_sum(mine, total);
  for (unsigned i = 0; i < queues_per_scan_thread; ++i) {
    if (first + i < queues) words.of(first + i) = place;
    place += counts[i];
  }
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
