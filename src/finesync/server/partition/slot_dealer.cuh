// SPDX-License-Identifier: Apache-2.0
// Deals weighted slots to servers, so that the sums of the servers are close to each other.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/block_scan.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Lives in shared memory. For blocks of whole warps; all threads of the block call the members
/// together. The result depends on the weights, the servers and the threads per block alone, so
/// several blocks get the same one.
///
/// The heaviest slots are dealt first, in classes of similar weight. Within a class the servers
/// stand in a row, each as long as it is below the mean. The slots of the class lie along the same
/// row, each as long as it is heavy. A slot goes to the server at its middle. So servers that have
/// much already get less, without sorting and without a slot waiting for another. With slots of
/// equal weight the fullest server has the fewest slots possible.
template <unsigned Slots, unsigned MaxServers>
class slot_dealer {
  using shared_word = atomic_ref<std::uint32_t, scope::block>;

 public:
  /// The weight of a slot, for the caller to set. Their sum is below 2^32, and none is 0: a slot of
  /// unknown weight needs a server, too.
  __device__ cell<std::uint32_t>& weight(unsigned slot) { return weights_[slot]; }

  /// After a barrier. \param table becomes the server of each slot; valid after the next barrier.
  __device__ void deal(unsigned servers, cell<std::uint8_t>* table) {
    for (unsigned i = thread_rank(); i < servers; i += block_threads()) loads_[i] = 0;
    const std::uint32_t mean = sum_of_class(0, ~0u).all / servers + 1;
    std::uint32_t above = ~0u;
    for (unsigned halvings = 0; halvings <= classes; ++halvings) {
      const std::uint32_t least = halvings < classes ? mean >> halvings : 0;
      deal_class(servers, mean, least, above, table);
      above = least;
    }
  }

 private:
  // More classes gain less than a tenth of the mean.
  static constexpr unsigned classes = 4;

  struct share {
    std::uint32_t before;  ///< sum over lower threads
    std::uint32_t all;     ///< sum over the block
  };

  // Weights from `least` to `above` - 1.
  __device__ share sum_of_class(std::uint32_t least, std::uint32_t above) {
    std::uint32_t mine = 0;
    for (unsigned slot = thread_rank(); slot < Slots; slot += block_threads()) {
      const std::uint32_t weight = weights_[slot];
      if (weight >= least && weight < above) mine += weight;
    }
    share sums = {};
    sums.before = scan_.exclusive_sum(mine, sums.all);
    return sums;
  }

  // Sets the ends of the servers in the row. \returns its length.
  __device__ std::uint32_t line_up(unsigned servers, std::uint32_t mean) {
    std::uint32_t length = 0;
    for (unsigned first = 0; first < servers; first += block_threads()) {
      const unsigned server = first + thread_rank();
      std::uint32_t room = 0;
      if (server < servers && loads_[server] < mean) room = mean - loads_[server];
      std::uint32_t of_all;
      const std::uint32_t before = scan_.exclusive_sum(room, of_all);
      if (server < servers) ends_[server] = length + before + room;
      length += of_all;
    }
    __syncthreads();
    return length;
  }

  __device__ void deal_class(unsigned servers, std::uint32_t mean, std::uint32_t least,
                             std::uint32_t above, cell<std::uint8_t>* table) {
    const share sums = sum_of_class(least, above);
    if (sums.all == 0) return;
    const std::uint32_t length = line_up(servers, mean);
    const float scale = static_cast<float>(length) / static_cast<float>(sums.all);
    std::uint32_t begin = sums.before;
    for (unsigned slot = thread_rank(); slot < Slots; slot += block_threads()) {
      const std::uint32_t weight = weights_[slot];
      if (weight < least || weight >= above) continue;
      const auto middle =
          static_cast<std::uint32_t>(static_cast<float>(begin + weight / 2) * scale);
      const unsigned server = server_at(middle, servers);
      table[slot] = static_cast<std::uint8_t>(server);
      shared_word(loads_[server]).fetch_add(weight, memory_order::relaxed);
      begin += weight;
    }
    __syncthreads();
  }

  // The first server whose end is beyond the place; the last one for places beyond all.
  __device__ unsigned server_at(std::uint32_t place, unsigned servers) {
    unsigned first = 0;
    unsigned last = servers - 1;
    while (first < last) {
      const unsigned middle = (first + last) / 2;
      if (ends_[middle] > place)
        last = middle;
      else
        first = middle + 1;
    }
    return first;
  }

  block_scan scan_;
  cell<std::uint32_t> weights_[Slots];
  cell<std::uint32_t> loads_[MaxServers];
  cell<std::uint32_t> ends_[MaxServers];
};

}  // namespace finesync::inline FINESYNC_ABI
