// SPDX-License-Identifier: Apache-2.0
// A channel array with one word per warp that shows whether its 32 channels hold tokens.
#pragma once

#include "finesync/device/cell.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// \tparam Channel constructed from the warp's word and the lane's token, see channel.cuh.
template <class Channel>
class word_per_warp_channels {
 public:
  static constexpr bool by_warps = true;
  static constexpr bool orders_memory = true;
  static constexpr bool many_readers = true;
  static constexpr unsigned max_threads = 1024;

  static constexpr std::size_t bytes(unsigned threads) {
    return 4 * (std::size_t{threads} + threads / 32);
  }

  __device__ word_per_warp_channels(unsigned char* memory, unsigned threads)
      : tokens_(reinterpret_cast<cell<std::uint32_t>*>(memory)), words_(tokens_ + threads) {}

  __device__ Channel channel_of(unsigned producer) const {
    return {words_[producer / 32], tokens_[producer]};
  }

 private:
  cell<std::uint32_t>* tokens_;
  cell<std::uint32_t>* words_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
