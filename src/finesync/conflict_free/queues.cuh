// SPDX-License-Identifier: Apache-2.0
// A batch of requests, sorted into consecutive queues, each exactly as long as needed for any
// distribution of requests. It is a counting sort; one array holds the counts, beginnings and ends
// of the queues:
//
//|  count     every request adds 1 to its queue's word
//|  scan      the words become exclusive sums: where each queue begins
//|  scatter   every request adds 1 again; the word's old value is the place of its entry
//
// A queue begins at a multiple of 16 bytes, or of more, so that its entries are read and copied in
// quads. Up to three places before it, or more, are unused.
//
// Use: batch_queues<Entry> q(queues, max_requests); q.sort(requests, number); q.ref() in the kernel
// Participants: any number of blocks, which do not wait for each other.
// Scope: device.
// Ordering: relaxed additions; the ends of kernels order the rest. The order of requests within a
//   queue is unspecified.
// Progress: lock-free; every request makes two additions.
// Residency: none needed.
// Traffic per request: two additions in the L2 and one store. atomic_per_warp: two additions per
//   warp and queue. block_histogram: two per block and queue, and three in shared memory.
//   tile_sort: one per block and one per tile and queue, and joint stores of a tile's queue. The
//   scan reads and writes one word per queue once.
// Reset: sort() starts from scratch.
#pragma once

#include "finesync/conflict_free/scatter_tiles.cuh"
#include "finesync/conflict_free/sorting.cuh"
#include "finesync/device/ptx/copy_async.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/host/stream.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

template <class Entry>
inline constexpr unsigned entries_per_quad = sizeof(quad) / sizeof(Entry);

/// The kernel's side, after a sort; trivially copyable, passed by value.
/// \tparam Aligned see batch_queues.
template <class Entry, unsigned Aligned = entries_per_quad<Entry>>
struct queues_ref {
  const cell<std::uint32_t>* ends;
  std::uint32_t stride;
  cell<Entry>* entries;  ///< sections may change them

  /// The places of a queue's entries: begin() up to, but not including, end().
  __device__ std::uint32_t begin(std::uint32_t queue) const {
    return begin_behind(ends[std::size_t{queue} * stride]);
  }
  __device__ std::uint32_t end(std::uint32_t queue) const {
    return ends[(std::size_t{queue} + 1) * stride];
  }
  /// Where the next queue begins.
  __host__ __device__ static constexpr std::uint32_t begin_behind(std::uint32_t end) {
    return detail::aligned_to(Aligned, end);
  }
};

/// Owns the queues of one batch after another.
/// \tparam Entry request data for the section: 4 or 8 bytes, aligned to its size.
/// \tparam Aligned alignment of a queue in places, a multiple of a quad.
template <class Entry, unsigned Aligned = entries_per_quad<Entry>>
class batch_queues {
  static_assert(Aligned % entries_per_quad<Entry> == 0);
  static_assert((sizeof(Entry) == 4 || sizeof(Entry) == 8) && alignof(Entry) == sizeof(Entry));
  static constexpr unsigned scan_threads = 256;
  static constexpr unsigned warp = 32;

  static std::size_t places_for(std::size_t queues, std::size_t requests) {
    const std::size_t most = requests + queues * (Aligned - 1);
    return (most + Aligned - 1) / Aligned * Aligned;
  }

 public:
  /// \param queues number of queues, such as queues_of(schedule).
  /// \param max_requests per batch; below 2^31.
  /// \param word_stride distance of the queues' words: 32 puts each on its own line, which is
  /// faster with few queues.
  /// \throws std::bad_alloc when device memory is used up.
  batch_queues(std::uint32_t queues, std::size_t max_requests, std::uint32_t word_stride = 1,
               const stream& on = {})
      : queues_(queues),
        stride_(word_stride),
        max_requests_(max_requests),
        words_((std::size_t{queues} + 1) * word_stride + 2 * sizeof(quad) / sizeof(std::uint32_t),
               on),
        sums_(scan_blocks(), on),
        entries_(places_for(queues, max_requests), on) {
    const device_guard here(on.device());
    const gpu_properties gpu = current_gpu();
    sms_ = static_cast<unsigned>(gpu.sms);
    max_threads_ = static_cast<unsigned>(std::min(1024, gpu.max_threads_per_sm));
    shared_bytes_ = gpu.shared_bytes_per_block;
    words_.fill_bytes(0);
  }

  /// Launches the kernels that sort requests 0 to number - 1.
  /// \tparam Adding atomic_per_request, atomic_per_warp, block_histogram, or tile_sort. For the
  /// last two the queues' words must fit into the shared memory of a block, for tile_sort together
  /// with the tile of a warp. A block of tile_sort has fewer threads if its tile does not fit.
  /// \param requests function object: requests(i) is the keyed_entry<Entry> of request i; it is
  /// called twice. Its optional member placed(i, place) is called once for each request with the
  /// place of its entry.
  /// \throws std::length_error when the batch has more than max_requests.
  template <class Adding = atomic_per_request, class Requests>
  void sort(const Requests& requests, std::size_t number) {
    sort<Adding>(requests, number, shape_for<Adding>(number));
  }
  /// The same with another launch shape.
  template <class Adding = atomic_per_request, class Requests>
  void sort(const Requests& requests, std::size_t number, const launch_shape& shape) {
    if (number > max_requests_) {
      throw std::length_error("a batch of " + std::to_string(number) + " requests: at most " +
                              std::to_string(max_requests_));
    }
    const auto n = static_cast<std::uint32_t>(number);
    const stream& on = words_.own_stream();
    const detail::queue_words words{words_.device_data(), stride_};
    const launch_shape scan{.blocks = scan_blocks(),
                            .threads_per_block = scan_threads,
                            .shared_bytes = sizeof(block_scan)};
    words_.fill_bytes(0);
    if constexpr (by_blocks<Adding>)
      launch_independent(on, detail::count_chunks<Requests>, with_counts(shape), requests, n,
                         queues_, words);
    else
      launch_independent(on, detail::count_requests<Adding, Requests>, shape, requests, n, words);
    launch_independent(on, detail::sum_counts<scan_threads>, scan, words, queues_, Aligned,
                       sums_.device_data());
    launch_independent(on, detail::scan_counts<scan_threads>, scan, words, queues_, Aligned,
                       sums_.device_data());
    if constexpr (std::is_same_v<Adding, tile_sort>)
      launch_independent(on, detail::scatter_tiles<Requests, Entry>, with_tile(shape), requests, n,
                         queues_, words, entries_.device_data());
    else if constexpr (by_blocks<Adding>)
      launch_independent(on, detail::scatter_chunks<Requests, Entry>, with_counts(shape), requests,
                         n, queues_, words, entries_.device_data());
    else
      launch_independent(on, detail::scatter_requests<Adding, Requests, Entry>, shape, requests, n,
                         words, entries_.device_data());
  }

  /// Whether tile_sort has room for the words of all queues and the tile of a warp.
  bool has_room_for_tiles() const { return tile_bytes(queues_, warp) <= shared_bytes_; }
  /// Shared memory of a block of tile_sort, in bytes.
  static std::size_t tile_bytes(std::uint32_t queues, unsigned threads_per_block) {
    return detail::tile<Entry>::bytes(queues, threads_per_block);
  }

  std::uint32_t queues() const { return queues_; }
  /// Upper bound of all places.
  std::size_t places() const { return entries_.size(); }
  /// For the host: the entries at their places, and the queues' words, `word_stride` apart.
  const buffer<Entry>& entries() const { return entries_; }
  const buffer<std::uint32_t>& ends() const { return words_; }

  queues_ref<Entry, Aligned> ref() const {
    return {words_.device_data(), stride_, entries_.device_data()};
  }

 private:
  unsigned scan_blocks() const {
    constexpr unsigned per_block = scan_threads * detail::queues_per_scan_thread;
    return (queues_ + per_block - 1) / per_block;
  }
  template <class Adding>
  static constexpr bool by_blocks =
      std::is_same_v<Adding, block_histogram> || std::is_same_v<Adding, tile_sort>;

  launch_shape with_counts(launch_shape shape) const {
    shape.shared_bytes = queues_ * sizeof(std::uint32_t);
    return shape;
  }
  /// Whole warps, as many as asked for, rounded up, or as their tile has room for.
  launch_shape with_tile(launch_shape shape) const {
    unsigned& threads = shape.threads_per_block;
    threads = (threads + warp - 1) / warp * warp;
    while (threads > warp && tile_bytes(queues_, threads) > shared_bytes_) threads -= warp;
    shape.shared_bytes = tile_bytes(queues_, threads);
    return shape;
  }
  /// Fills the GPU with threads, unless the batch is small.
  template <class Adding>
  launch_shape shape_for(std::size_t number) const {
    const unsigned threads = by_blocks<Adding> ? max_threads_ : 256;
    const unsigned blocks_per_sm = by_blocks<Adding> ? 1 : 8;
    const std::size_t per_block = std::size_t{threads} * detail::requests_in_flight;
    const std::size_t needed = std::max<std::size_t>(1, (number + per_block - 1) / per_block);
    return {.blocks = static_cast<unsigned>(std::min<std::size_t>(needed, sms_ * blocks_per_sm)),
            .threads_per_block = threads};
  }

  std::uint32_t queues_;
  std::uint32_t stride_;
  std::size_t max_requests_;
  unsigned sms_ = 1;
  unsigned max_threads_ = 1;      ///< per block
  std::size_t shared_bytes_ = 0;  ///< that a block may have
  buffer<std::uint32_t> words_;
  buffer<std::uint32_t> sums_;
  buffer<Entry> entries_;
};

}  // namespace finesync::inline FINESYNC_ABI
