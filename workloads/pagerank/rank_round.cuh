// A round of PageRank, and the decision whether another one follows.
#pragma once

#include "rows.hpp"
#include "run_config.hpp"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/warp.cuh>

#include <cstdint>

namespace finesync::pagerank {

/// Device memory of a run beside the graph. The share of a vertex is its residual over the number
/// of its arcs.
struct ranking_ref {
  graph_ref graph;
  float enough;                     ///< see run_config
  unsigned most_rounds;             ///< that a run may need; it ends then, whatever it found
  cell<float>* ranks;               ///< one per vertex
  cell<float>* shares;              ///< of two rounds in turn, 2 x vertices
  cell<std::uint32_t>* unfinished;  ///< the last round known to need another; 0 at the start

  __host__ __device__ cell<float>* shares_of(unsigned round) const {
    return shares + std::size_t{round % 2} * graph.vertices;
  }
};

/// The shared memory of a block.
struct block_memory {
  cell<float> sums_of_warps[32];
};

/// Round 0: before it, no vertex has a rank. By all threads of the grid.
__device__ inline void put_first_ranks(const ranking_ref& ranking) {
  constexpr float first = 1.0f - run_config::damping;
  cell<float>* const shares = ranking.shares_of(0);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < ranking.graph.vertices;
       i += gridDim.x * blockDim.x) {
    const rank_row row = ranking.graph.rows[i];
    ranking.ranks[row.vertex] = first;
    shares[row.vertex] = first * row.inverse;
  }
}

/// A round, for the calling thread. What it reads of other threads are the shares of the round
/// before, and it writes those of this round, where the next but one were read: a grid barrier
/// before each round orders both. The rank of a vertex always has the same writer.
class rank_round {
 public:
  __device__ rank_round(const ranking_ref& ranking, unsigned round)
      : graph_(ranking.graph),
        shares_(ranking.shares_of(round - 1)),
        next_(ranking.shares_of(round)),
        ranks_(ranking.ranks),
        enough_(ranking.enough) {}

  /// Ranks all vertices, by all threads of all blocks of whole warps. \returns whether the caller
  /// made a residual that is not small enough.
  __device__ bool run(block_memory& shared) {
    const std::uint32_t(&ends)[row_class_count] = graph_.ends;
    by_blocks(0, ends[0], shared);
    by_lanes<32>(ends[0], ends[1]);
    by_lanes<lanes_of_row>(ends[1], ends[2]);
    by_lanes<1>(ends[2], ends[3]);
    return more_;
  }

 private:
  __device__ void by_blocks(std::uint32_t begin, std::uint32_t end, block_memory& shared) {
    for (std::uint32_t i = begin + blockIdx.x; i < end; i += gridDim.x) {
      const rank_row row = graph_.rows[i];
      const float of_warp = sum_of_lanes<32>(sum_of_thread(row, threadIdx.x, blockDim.x));
      if (lane_id() == 0) shared.sums_of_warps[threadIdx.x / 32] = of_warp;
      __syncthreads();
      if (threadIdx.x < 32) {
        const bool has_warp = threadIdx.x < blockDim.x / 32;
        const float all = sum_of_lanes<32>(
            has_warp ? static_cast<float>(shared.sums_of_warps[threadIdx.x]) : 0.0f);
        if (threadIdx.x == 0) put(row, ranks_[row.vertex], all);
      }
      __syncthreads();
    }
  }

  /// `Lanes` lanes of a warp to a row.
  template <unsigned Lanes>
  __device__ void by_lanes(std::uint32_t begin, std::uint32_t end) {
    constexpr unsigned per_warp = 32 / Lanes;
    const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const std::uint32_t step = gridDim.x * blockDim.x / 32 * per_warp;
    for (std::uint32_t i = begin + warp * per_warp; i < end; i += step) {
      const std::uint32_t mine = i + lane_id() / Lanes;
      const bool has = mine < end;
      const bool writes = has && lane_id() % Lanes == 0;
      const rank_row row = has ? graph_.rows[mine] : rank_row{};
      const float before = writes ? static_cast<float>(ranks_[row.vertex]) : 0.0f;
      const float sum = sum_of_lanes<Lanes>(sum_of_thread(row, lane_id() % Lanes, Lanes));
      if (writes) put(row, before, sum);
    }
  }

  /// The sum of the shares of every `threads`-th source of a row, from the `first` on. A source is
  /// read once in a round, a share often: sources are the first to leave the caches. All sources of
  /// a step are read before the first share, so that the reads overlap.
  __device__ float sum_of_thread(const rank_row& row, std::uint32_t first,
                                 std::uint32_t threads) const {
    float sum = 0;
    for (std::uint32_t i = first; i < row.arcs; i += in_flight * threads) {
      std::uint32_t from[in_flight];
      float share[in_flight] = {};
      for (std::uint32_t k = 0; k < in_flight; ++k)
        if (i + k * threads < row.arcs)
          from[k] = __ldcs(graph_.sources + row.first + i + k * threads);
      for (std::uint32_t k = 0; k < in_flight; ++k)
        if (i + k * threads < row.arcs) share[k] = shares_[from[k]];
      sum += (share[0] + share[1]) + (share[2] + share[3]);
    }
    return sum;
  }

  template <unsigned Lanes>
  __device__ static float sum_of_lanes(float value) {
    for (unsigned distance = Lanes / 2; distance != 0; distance /= 2)
      value += __shfl_xor_sync(0xffffffffu, value, static_cast<int>(distance));
    return value;
  }

  /// \param before the rank so far
  __device__ void put(const rank_row& row, float before, float sum) {
    const float residual = run_config::damping * sum;
    ranks_[row.vertex] = before + residual;
    next_[row.vertex] = residual * row.inverse;
    more_ |= residual > enough_;
  }

  const graph_ref& graph_;
  const cell<float>* shares_;
  cell<float>* next_;
  cell<float>* ranks_;
  float enough_;
  bool more_ = false;
};

// Whether a round needs another is a question of the whole grid, and one word answers it, which is
// never reset. Blocks that need another round store the round's number. Behind the barrier each
// block looks for a number of at least its round: a larger one is from a block that has already
// gone on, for the same reason. So the number only grows. The word needs no more than relaxed
// accesses, as the barrier orders those of a round before those behind it.

/// By all threads of the block, before the barrier of the round.
__device__ inline void vote(const ranking_ref& ranking, unsigned round, bool more) {
  if (__syncthreads_or(more) != 0 && threadIdx.x == 0)
    atomic_ref<std::uint32_t, scope::device>(*ranking.unfinished)
        .store(round, memory_order::relaxed);
}

/// Whether a round follows this one. By all threads of the block, behind the barrier.
__device__ inline bool goes_on(const ranking_ref& ranking, unsigned round) {
  return __syncthreads_or(threadIdx.x == 0 &&
                          atomic_ref<std::uint32_t, scope::device>(*ranking.unfinished)
                                  .load(memory_order::relaxed) >= round) != 0;
}

}  // namespace finesync::pagerank
