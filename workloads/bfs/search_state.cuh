// What a search in both directions has in memory, and who may access it when.
//
// What blocks share in round r:
//|                read                            written
//|  level r       by all                          -
//|  level r + 1   -                               downwards: bits set, atomically, by all
//|                                                upwards: stored, each word by its warp
//|  level r + 2   -                               emptied, each word by its warp
//|  visited       by its warp; downwards also     stored, each word by its warp: levels 0 to r - 1
//|                by all, atomically              before it, 0 to r behind it
//|  found(r)      by all                          -
//|  found(r + 1)  -                               added to, atomically, by all
//|  found(r + 2), -                               zeroed, by block 0
//|  long_rows(r + 2)
//|  long_rows(r), by all, behind a barrier in     before that barrier: the count atomically, by
//|  their list    the middle of the round         all; an entry by the warp that got its place
//|  distances     -                               by the thread that found the vertex
//
// Levels and counts exist three times; round r uses them modulo 3. What round r empties, r + 2, was
// last read in round r - 1, and is next written in round r + 1. So a barrier is between the last
// look at it and its emptying, and another between that and the next bit: a bit of an earlier level
// is never seen, and none is lost. The list exists once: it is read behind the second barrier of a
// round, and next written behind the third. Visited words are stored while other warps read them
// only downwards, both atomically: a reader finds the word with or without level r, and looks at
// level r, too. Within a round no order of the atomic accesses matters: bits are set, sums added
// to, and a bit's old value says who was first. So all of them are relaxed; the barrier orders
// these and the plain ones before it before those behind it.
#pragma once

#include "vertex_batch.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/traversal/graph_ref.cuh>

#include <cstdint>

namespace finesync::bfs {

/// The arcs of rows with more than these are followed by all threads of the grid.
inline constexpr std::uint32_t most_arcs_of_warp = 256;

/// The levels' bitmaps, three in turn. \see the table above
class level_bitmaps {
 public:
  level_bitmaps(cell<std::uint32_t>* words, std::uint32_t batches)
      : words_(words), batches_(batches) {}
  static std::size_t words(std::uint32_t batches) {
    return std::size_t{3} * batches * vertex_batch::words;
  }

  __device__ cell<std::uint32_t>* of(std::uint32_t round) const {
    return words_ + std::size_t{round % 3} * batches_ * vertex_batch::words;
  }
  /// What a round makes ready for the one after the next.
  __device__ cell<std::uint32_t>* emptied_in(std::uint32_t round) const { return of(round + 2); }

 private:
  cell<std::uint32_t>* words_;
  std::uint32_t batches_;
};

/// The counts of a search, three in turn, each in a line of its own; zero at the start.
class level_counts {
 public:
  explicit level_counts(cell<std::uint64_t>* first) : words_(first) {}
  static constexpr unsigned words = 6 * line_bytes / sizeof(std::uint64_t);

  using count = atomic_ref<std::uint64_t, scope::device>;
  /// Of the vertices of a level: their arcs, and 2^32 times the number of long rows.
  __device__ count found(std::uint32_t round) const { return at(round % 3); }
  /// Of its long rows that are listed: their arcs, and 2^32 times their number.
  __device__ count long_rows(std::uint32_t round) const { return at(3 + round % 3); }

 private:
  __device__ count at(unsigned line) const {
    return count(words_[line * (line_bytes / sizeof(std::uint64_t))]);
  }
  cell<std::uint64_t>* words_;
};

/// A row that a list has: its first arc, and the number of arcs of the rows before it in the list.
struct alignas(8) long_row {
  std::uint32_t first;
  std::uint32_t before;
};

/// What the kernel needs. \tparam Levels level_bitmaps
template <class Levels>
struct both_directions_ref {
  traversal::graph_ref graph;
  traversal::graph_ref incoming;  ///< each arc turned round
  std::uint32_t batches;
  cell<std::uint32_t>* visited;  ///< a bitmap, zero at the start
  Levels levels;                 ///< zero at the start
  level_counts counts;
  cell<long_row>* long_rows;
  std::uint32_t most_long_rows;    ///< that the graph has room for
  cell<std::uint32_t>* distances;  ///< all unreached at the start
  std::uint32_t source;
  cell<std::uint32_t>* rounds;    ///< of the search, written at its end by two threads
  cell<std::uint32_t>* barriers;  ///< that it passed, too
};

/// A block's shared memory: this, and a vertex_list::memory per warp behind it.
struct alignas(16) block_memory {
  cell<std::uint64_t> found;  ///< in this round, as level_counts::found
  cell<std::uint32_t> unreached_arcs;
  cell<std::uint32_t> now;        ///< a phase
  cell<std::uint64_t> long_rows;  ///< of the level, as level_counts::long_rows
  cell<std::uint32_t> barriers;

  __device__ vertex_list list() {
    return vertex_list(
        *force_shared_address(&reinterpret_cast<vertex_list::memory*>(this + 1)[threadIdx.x / 32]));
  }
  static std::size_t bytes(unsigned threads_per_block) {
    return sizeof(block_memory) + threads_per_block / 32 * sizeof(vertex_list::memory);
  }
};

/// The warp among those of the grid, and their number: neighbouring warps are in different blocks,
/// so that rows that lie together, which are often long together, are spread over all SMs.
__device__ inline std::uint32_t warp_of_grid() {
  return threadIdx.x / 32 * gridDim.x + blockIdx.x;
}
__device__ inline std::uint32_t warps_of_grid() {
  return blockDim.x / 32 * gridDim.x;
}

/// What a thread found in a round.
class found_vertices {
 public:
  __device__ void add(std::uint32_t arcs) {
    arcs_ += arcs;
    if (arcs > most_arcs_of_warp) ++long_rows_;
  }

  __device__ std::uint64_t sum() const { return std::uint64_t{long_rows_} << 32 | arcs_; }

  /// All threads of the block call it together.
  __device__ void add_to(level_counts::count all, block_memory& own) const {
    const std::uint64_t of_warp = lane_group::whole_warp().fold(
        sum(), [](std::uint64_t a, std::uint64_t b) { return a + b; });
    if (lane_id() == 0 && of_warp != 0)
      atomic_ref<std::uint64_t, scope::block>(own.found).fetch_add(of_warp, memory_order::relaxed);
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (const std::uint64_t of_block = own.found; of_block != 0)
      all.fetch_add(of_block, memory_order::relaxed);
    own.found = 0;
  }

 private:
  std::uint32_t arcs_ = 0;
  std::uint32_t long_rows_ = 0;
};

struct graph_row {
  std::uint32_t first;
  std::uint32_t arcs;
};
__device__ inline graph_row row_of(const traversal::graph_ref& graph, std::uint32_t vertex) {
  const std::uint32_t first = graph.rows[vertex];
  return {first, graph.rows[vertex + 1] - first};
}

__device__ inline std::uint32_t bit_of(std::uint32_t vertex) {
  return 1u << vertex % 32;
}

}  // namespace finesync::bfs
