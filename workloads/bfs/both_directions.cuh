// Breadth-first search whose rounds look in the direction that is less work, in one persistent
// kernel with a grid barrier after each.
//
// A round of level r finds the vertices at distance r + 1. Downwards, the arcs of level r are
// followed. Upwards, each vertex that is not reached yet looks for one arc from level r, and stops
// at the first. While levels are small, the former has little to do; when they are large, most
// vertices that are left find an arc at once.
//
// The rule: upwards if arcs(level r) > arcs(unreached) / 8. An arc followed downwards that finds
// something costs about five accesses to random places (two bitmaps, the next level's bit, the row,
// the distance), while one looked at upwards costs one, and half or more are never looked at.
// Both directions read all words of one bitmap, so the numbers of vertices do not matter, and one
// rule serves for both changes of the direction. All blocks decide alike, from the same count.
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
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/applications/watched_barrier.cuh>
#include <workloads/traversal/graph_ref.cuh>

#include <cstdint>

namespace finesync::bfs {

/// The arcs of rows with more than these are followed by all threads of the grid.
inline constexpr std::uint32_t most_arcs_of_warp = 256;
/// How many arcs of unreached vertices are as much work as one of the level.
inline constexpr std::uint32_t unreached_arcs_per_arc = 8;
/// Arcs that a vertex looks at before it asks whether one was from the level.
inline constexpr unsigned looks_at_once = 2;

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
  explicit level_counts(cell<std::uint64_t>* words) : words_(words) {}
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
  cell<std::uint32_t>* rounds;    ///< of the search, written at its end
  cell<std::uint32_t>* barriers;  ///< that it passed, too
};

/// What all blocks do between two barriers: a round, or the first half of one with long rows.
enum class phase : std::uint32_t { starts, looks_up, follows, lists, follows_long_rows, ends };

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

/// Downwards along one arc: whoever sets the target's bit has found it.
template <class Levels>
__device__ void follow(const both_directions_ref<Levels>& search, std::uint32_t arc,
                       std::uint32_t round, found_vertices& found) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  const std::uint32_t target = search.graph.targets[arc];
  const std::uint32_t bit = bit_of(target);
  const std::uint32_t visited = word(search.visited[target / 32]).load(memory_order::relaxed);
  if (((visited | search.levels.of(round)[target / 32]) & bit) != 0) return;
  const word next(search.levels.of(round + 1)[target / 32]);
  if ((next.fetch_or(bit, memory_order::relaxed) & bit) != 0) return;
  search.distances[target] = round + 1;
  found.add(row_of(search.graph, target).arcs);
}

/// The arcs of a row per lane, dealt out evenly among the lanes. All lanes of the warp call it
/// together.
template <class Levels>
__device__ void follow_rows(const both_directions_ref<Levels>& search, const graph_row& row,
                            std::uint32_t round, found_vertices& found) {
  const lane_group warp = lane_group::whole_warp();
  const std::uint32_t end = sum_up_to_lane(row.arcs);
  const std::uint32_t all = warp.get(end, 31);
  const std::uint32_t offset = row.first - (end - row.arcs);
  for (std::uint32_t begin = 0; begin < all; begin += 32) {
    const std::uint32_t i = begin + lane_id();
    int owner = 0;  // the first lane whose row ends behind i
    for (int step = 16; step != 0; step /= 2)
      if (warp.get(end, owner + step - 1) <= i) owner += step;
    const std::uint32_t arc = i + warp.get(offset, owner);
    if (i < all) follow(search, arc, round, found);
  }
}

/// Downwards along the arcs of a level's vertices, without its long rows.
template <class Levels>
__device__ void follow_level(const both_directions_ref<Levels>& search, std::uint32_t round,
                             vertex_list list, found_vertices& found) {
  for (vertex_batch batch{warp_of_grid()}; batch.number < search.batches;
       batch.number += warps_of_grid()) {
    const unsigned vertices = list.fill(batch.byte_of(search.levels.of(round)));
    if (lane_id() < vertex_batch::words) {
      const std::uint32_t word = batch.first_word() + lane_id();
      search.levels.emptied_in(round)[word] = 0;
      if (const std::uint32_t level = search.levels.of(round)[word]; level != 0) {
        const atomic_ref<std::uint32_t, scope::device> visited(search.visited[word]);
        visited.store(visited.load(memory_order::relaxed) | level, memory_order::relaxed);
      }
    }
    for (unsigned begin = 0; begin < vertices; begin += 32) {
      const unsigned i = begin + lane_id();
      graph_row row{0, 0};
      if (i < vertices) row = row_of(search.graph, batch.first_vertex() + list.place(i));
      if (row.arcs > most_arcs_of_warp) row.arcs = 0;
      follow_rows(search, row, round, found);
    }
  }
}

/// Adds a row to the list of the level. Rows with later places have more arcs before them.
template <class Levels>
__device__ void list_row(const both_directions_ref<Levels>& search, const graph_row& row,
                         std::uint32_t round) {
  const std::uint64_t before = search.counts.long_rows(round).fetch_add(
      std::uint64_t{1} << 32 | row.arcs, memory_order::relaxed);
  if (before >> 32 < search.most_long_rows)  // always, unless the barrier is broken
    search.long_rows[before >> 32] = long_row{row.first, static_cast<std::uint32_t>(before)};
}

/// Lists the long rows of a level.
template <class Levels>
__device__ void list_long_rows(const both_directions_ref<Levels>& search, std::uint32_t round,
                               vertex_list list) {
  for (vertex_batch batch{warp_of_grid()}; batch.number < search.batches;
       batch.number += warps_of_grid()) {
    const unsigned vertices = list.fill(batch.byte_of(search.levels.of(round)));
    for (unsigned i = lane_id(); i < vertices; i += 32) {
      const graph_row row = row_of(search.graph, batch.first_vertex() + list.place(i));
      if (row.arcs > most_arcs_of_warp) list_row(search, row, round);
    }
  }
}

/// Downwards along the arcs of the listed rows, dealt out evenly among all threads of the grid.
/// \param listed as level_counts::long_rows
template <class Levels>
__device__ void follow_long_rows(const both_directions_ref<Levels>& search, std::uint32_t round,
                                 std::uint64_t listed, found_vertices& found) {
  const auto arcs = static_cast<std::uint32_t>(listed);
  const auto rows = static_cast<std::uint32_t>(listed >> 32);
  if (rows > search.most_long_rows) return;  // never, unless the barrier is broken
  for (std::uint64_t i = warp_of_grid() * 32 + lane_id(); i < arcs; i += warps_of_grid() * 32) {
    std::uint32_t at = 0;  // the last row with no more than i arcs before it
    for (std::uint32_t end = rows; end - at > 1;) {
      const std::uint32_t middle = at + (end - at) / 2;
      const long_row row = search.long_rows[middle];
      (row.before <= i ? at : end) = middle;
    }
    const long_row row = search.long_rows[at];
    follow(search, row.first + (static_cast<std::uint32_t>(i) - row.before), round, found);
  }
}

/// Whether an arc to the vertex of this row comes from the level.
__device__ inline bool has_arc_from(const cell<std::uint32_t>* level, const graph_row& row,
                                    const std::uint32_t* origins) {
  for (std::uint32_t begin = 0; begin < row.arcs; begin += looks_at_once) {
    std::uint32_t origin[looks_at_once];
    for (unsigned i = 0; i < looks_at_once; ++i)  // beyond the end, the last one again
      origin[i] = origins[row.first + (begin + i < row.arcs ? begin + i : row.arcs - 1)];
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < looks_at_once; ++i) bits |= level[origin[i] / 32] >> origin[i] % 32;
    if ((bits & 1) != 0) return true;
  }
  return false;
}

/// Upwards from each vertex that is not visited. One that no arc leads to is marked as visited, so
/// that no later round looks at it.
template <class Levels>
__device__ void look_for_level(const both_directions_ref<Levels>& search, std::uint32_t round,
                               vertex_list list, found_vertices& found) {
  using bits = vertex_list::memory;
  const cell<std::uint32_t>* const level = search.levels.of(round);
  for (vertex_batch batch{warp_of_grid()}; batch.number < search.batches;
       batch.number += warps_of_grid()) {
    const unsigned visited = batch.byte_of(search.visited) | batch.byte_of(level);
    const unsigned vertices = list.fill(visited ^ 0xff);
    for (unsigned i = lane_id(); i < vertices; i += 32) {
      const unsigned place = list.place(i);
      const std::uint32_t vertex = batch.first_vertex() + place;
      const graph_row row = row_of(search.incoming, vertex);
      if (has_arc_from(level, row, search.incoming.targets)) {
        list.set(&bits::found, place);
        search.distances[vertex] = round + 1;
        found.add(search.graph.rows == search.incoming.rows ? row.arcs
                                                            : row_of(search.graph, vertex).arcs);
      } else if (row.arcs == 0) {
        list.set(&bits::settled, place);
      }
    }
    lane_group::whole_warp().sync();
    if (lane_id() >= vertex_batch::words) continue;
    const std::uint32_t word = batch.first_word() + lane_id();
    search.levels.of(round + 1)[word] = list.take(&bits::found, lane_id());
    search.levels.emptied_in(round)[word] = 0;
    const std::uint32_t settled = level[word] | list.take(&bits::settled, lane_id());
    if (settled != 0) search.visited[word] = search.visited[word] | settled;
  }
}

/// By all threads: empties the block's memory, and puts the source in level 0. What a bitmap's last
/// batch has beyond the vertices counts as visited.
template <class Levels>
__device__ void put_source(const both_directions_ref<Levels>& search, block_memory& own) {
  own.list().clear();
  if (threadIdx.x != 0) return;
  own.found = 0;
  own.unreached_arcs = search.graph.rows[search.graph.vertices];
  own.barriers = 0;
  if (blockIdx.x != 0) return;
  for (std::uint32_t end = search.graph.vertices; end % vertex_batch::vertices != 0; ++end)
    search.visited[end / 32] = search.visited[end / 32] | bit_of(end);
  search.levels.of(0)[search.source / 32] = bit_of(search.source);
  search.distances[search.source] = 0;
  const graph_row row = row_of(search.graph, search.source);
  found_vertices found;
  found.add(row.arcs);
  search.counts.found(0).store(found.sum(), memory_order::relaxed);
  if (row.arcs > most_arcs_of_warp) list_row(search, row, 0);
}

/// By all threads of the block: the phase behind `before`. Thread 0 keeps account.
template <class Levels>
__device__ phase next_phase(const both_directions_ref<Levels>& search, phase before,
                            std::uint32_t round, block_memory& own) {
  if (threadIdx.x == 0) {
    const std::uint64_t level = search.counts.found(round).load(memory_order::relaxed);
    const std::uint64_t listed = search.counts.long_rows(round).load(memory_order::relaxed);
    const auto arcs = static_cast<std::uint32_t>(level);
    std::uint32_t unreached = own.unreached_arcs;
    if (before != phase::lists) own.unreached_arcs = unreached -= arcs;
    phase now = phase::follows;
    if (arcs == 0 || round == search.graph.vertices)  // no search has more rounds
      now = phase::ends;
    else if (arcs > unreached / unreached_arcs_per_arc)
      now = phase::looks_up;
    else if (level >> 32 != 0)
      now = before == phase::lists || listed >> 32 == level >> 32 ? phase::follows_long_rows
                                                                  : phase::lists;
    own.now = static_cast<std::uint32_t>(now);
    own.long_rows = listed;
    if (blockIdx.x == 0) {
      search.counts.found(round + 2).store(0, memory_order::relaxed);
      search.counts.long_rows(round + 2).store(0, memory_order::relaxed);
    }
  }
  __syncthreads();
  return static_cast<phase>(static_cast<std::uint32_t>(own.now));
}

/// One barrier in the text, as its code is long: a phase's work, then the barrier, then the choice
/// of the next phase. Two blocks of 1,024 threads fit on an SM: rounds wait for memory most of the
/// time, so warps matter more than registers.
template <class Barrier, class Levels>
__global__ void __launch_bounds__(1024, 2)
    search_in_both_directions(Barrier barrier, both_directions_ref<Levels> search,
                              watchdog_ref watchdog) {
  auto& own = shared_storage<block_memory>();
  auto participant = barrier.join(watchdog);
  put_source(search, own);
  std::uint32_t round = 0;
  for (phase now = phase::starts;;) {
    if (threadIdx.x == 0) own.barriers = own.barriers + 1;
    if (!participant.wait()) return;
    now = next_phase(search, now, round, own);
    if (now == phase::ends) break;
    if (now == phase::lists) {
      list_long_rows(search, round, own.list());
      continue;
    }
    found_vertices found;
    if (now == phase::looks_up) {
      look_for_level(search, round, own.list(), found);
    } else {
      if (now == phase::follows_long_rows) follow_long_rows(search, round, own.long_rows, found);
      follow_level(search, round, own.list(), found);
    }
    ++round;
    found.add_to(search.counts.found(round), own);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *search.rounds = round;
    *search.barriers = own.barriers;
  }
  applications::leave(participant);
}

}  // namespace finesync::bfs
