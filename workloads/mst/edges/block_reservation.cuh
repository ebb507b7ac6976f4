// Reserves places in lists for all threads of a block at once.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/block_scan.cuh>
#include <finesync/device/warp.cuh>

#include <cstdint>

namespace finesync::mst {

/// In shared memory: one atomic addition per block and list. For blocks of whole warps; all threads
/// of the block call it together.
class block_reservation {
 public:
  struct places {
    std::uint32_t first;   ///< first place of the caller in the first list
    std::uint32_t second;  ///< first place of the caller in the second list
  };

  /// \param first, second places that the caller wants, with a sum over the block below 2^16 for
  /// each. \param first_length, second_length lengths of the lists.
  __device__ places reserve(unsigned first, cell<std::uint32_t>& first_length, unsigned second,
                            cell<std::uint32_t>& second_length) {
    std::uint32_t total;
    const std::uint32_t below = prefix_.exclusive_sum_once(second << 16 | first, total);
    // Two threads: one would wait for the first result before it issued the second addition.
    if (threadIdx.x == 0) first_ = add(first_length, total & 0xffffu);
    if (threadIdx.x == blockDim.x - 1) second_ = add(second_length, total >> 16);
    __syncthreads();
    // The next call writes these members only after the barrier of its sums.
    return {first_ + (below & 0xffffu), second_ + (below >> 16)};
  }
  __device__ std::uint32_t reserve(unsigned wanted, cell<std::uint32_t>& length) {
    return reserve(wanted, length, 0, length).first;
  }

 private:
  __device__ static std::uint32_t add(cell<std::uint32_t>& length, std::uint32_t number) {
    if (number == 0) return 0;
    return atomic_ref<std::uint32_t, scope::device>(length).fetch_add(number,
                                                                      memory_order::relaxed);
  }

  block_scan prefix_;
  cell<std::uint32_t> first_;
  cell<std::uint32_t> second_;
};

/// Index of the caller's first item; its next items follow at a distance of 32. Each warp of the
/// block has 32 * `Each` consecutive items.
template <unsigned Each>
__device__ __forceinline__ std::uint32_t first_item(std::uint32_t of_block) {
  return of_block + threadIdx.x / 32 * 32 * Each + lane_id();
}

/// A warp's places in a list, one item per lane at a time. Consecutive items get consecutive
/// places, so neighbours stay together in memory.
class places_in_order {
 public:
  /// \param of_lane first place that a reservation gave the caller. All lanes of the warp call it.
  __device__ explicit places_in_order(std::uint32_t of_lane)
      : next_(__shfl_sync(all_lanes, of_lane, 0)) {}

  /// \returns the place of the caller's item, if it has one. All lanes of the warp call it.
  __device__ __forceinline__ std::uint32_t take(bool wants) {
    const unsigned wanting = __ballot_sync(all_lanes, wants);
    const std::uint32_t place = next_ + lanes_below(wanting);
    next_ += static_cast<unsigned>(__popc(wanting));
    return place;
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  std::uint32_t next_;
};

}  // namespace finesync::mst
