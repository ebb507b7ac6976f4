// Sums by all threads of a block.
#pragma once

#include "words.hpp"

#include <finesync/device/cell.cuh>
#include <finesync/device/warp.cuh>

#include <cstdint>

namespace finesync::reduce {

/// The array as a kernel sees it.
struct words_ref {
  const quad_of_words* quads;
  std::uint64_t number;  ///< of quads
};

/// The calling thread's part of a sum of all words: threads of the grid take quads in turn, two at
/// a time, so that a thread has two reads in flight.
__device__ inline std::uint64_t sum_of_thread(const words_ref& words) {
  const auto sum_of = [&](std::uint64_t quad) {
    const quad_of_words four = words.quads[quad];
    return std::uint64_t{four.words[0]} + four.words[1] +
           (std::uint64_t{four.words[2]} + four.words[3]);
  };
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t quad = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint64_t sum = 0;
  for (; quad + step < words.number; quad += 2 * step) sum += sum_of(quad) + sum_of(quad + step);
  if (quad < words.number) sum += sum_of(quad);
  return sum;
}

/// Memory of block_sum(): a word per warp.
struct sums_of_warps {
  cell<std::uint64_t> of[32];
};

/// The shared memory of a block.
struct block_memory {
  sums_of_warps share;
  sums_of_warps total;
};

/// The sum of the threads' values, known to thread 0 alone. For blocks of whole warps. The caller
/// has a block barrier between two calls.
__device__ inline std::uint64_t block_sum(std::uint64_t value, sums_of_warps& shared) {
  const auto warp_sum = [](std::uint64_t lanes) {
    for (unsigned distance = 16; distance != 0; distance /= 2)
      lanes += __shfl_down_sync(0xffffffffu, lanes, distance);
    return lanes;
  };
  value = warp_sum(value);
  if (lane_id() == 0) shared.of[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  const bool has_warp = threadIdx.x < blockDim.x / 32;
  return warp_sum(has_warp ? static_cast<std::uint64_t>(shared.of[threadIdx.x]) : 0);
}

}  // namespace finesync::reduce
