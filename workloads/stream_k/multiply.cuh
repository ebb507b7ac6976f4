// The kernel: each block's part of a product, and the call of the fix-up.
#pragma once

#include "even_split.hpp"

#include <finesync/device/cell.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::stream_k {

inline constexpr unsigned columns_per_thread = 3;  // as many as an event word carries

/// The calling thread's values of a tile, or of a piece of one.
struct sums {
  float of[columns_per_thread];

  __device__ void add(const sums& other) {
    for (unsigned i = 0; i < columns_per_thread; ++i) of[i] += other.of[i];
  }
};

/// Values in global memory, by tile or by block: thread t has columns t, t + blockDim.x, ...
struct stored_sums {
  cell<float>* values;

  __device__ cell<float>& at(unsigned tile, unsigned i) const {
    return values[(std::size_t{tile} * columns_per_thread + i) * blockDim.x + threadIdx.x];
  }
  __device__ sums load(unsigned tile) const {
    sums own;
    for (unsigned i = 0; i < columns_per_thread; ++i) own.of[i] = at(tile, i);
    return own;
  }
  __device__ void store(unsigned tile, const sums& own) const {
    for (unsigned i = 0; i < columns_per_thread; ++i) at(tile, i) = own.of[i];
  }
};

/// Product `round` of a run: the left factor, times `round`, times the right one. A tile is a row.
struct product {
  even_split split;
  const cell<float>* left;
  stored_sums right;
  stored_sums out;
  std::uint32_t round;  ///< from 1 on

  __device__ sums sum_of(const piece& own) const {
    return sum_of_steps(left + own.tile * split.depth, right, own.begin, own.end,
                        static_cast<float>(round));
  }

 private:
  /// A row's steps, times the right factor. Out of line: all fix-ups are measured with the same
  /// machine code for the product.
  __device__ FINESYNC_OUT_OF_LINE static sums sum_of_steps(const cell<float>* row,
                                                           stored_sums factor, unsigned begin,
                                                           unsigned end, float scale) {
    sums sum{};
    for (unsigned k = begin; k < end; ++k) {
      const float left_value = row[k] * scale;
      for (unsigned i = 0; i < columns_per_thread; ++i) sum.of[i] += left_value * factor.at(k, i);
    }
    return sum;
  }
};

/// A block goes from the end of its steps to their beginning. Other blocks wait for its part of its
/// last tile: it does that part first. It waits for other blocks' parts of its first tile: it does
/// that tile last. So each block has done what others wait for before it waits itself.
template <class Fixup>
__global__ void __launch_bounds__(1024, 1)
    multiply(product all, typename Fixup::ref_type fixup, watchdog_ref watchdog) {
  assume_one_dimension();
  const unsigned begin = all.split.begin_of(blockIdx.x);
  for (unsigned end = all.split.begin_of(blockIdx.x + 1); end > begin;) {
    const piece own = all.split.piece_before(blockIdx.x, end);
    const sums sum = all.sum_of(own);
    if (own.is_whole_tile()) {
      all.out.store(own.tile, sum);
    } else if (!fixup.add(all, own, sum, watchdog)) {
      return;
    }
    end -= own.steps();
  }
}

}  // namespace finesync::stream_k
