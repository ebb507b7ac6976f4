// Walks over the rows of a graph, by warps.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/warp.cuh>
#include <workloads/mst/graph_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// A lane's row, with its vertex and component. An empty row stands for none.
struct row {
  std::uint32_t vertex = 0;
  std::uint32_t component = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  __device__ std::uint32_t length() const { return end - begin; }
};

// One lane walks a row of up to short_row arcs; lanes_of_row lanes walk a row of up to long_row.
// Longer rows are cut into chunks, one per warp.
inline constexpr std::uint32_t short_row = 16;
inline constexpr std::uint32_t long_row = 64;
inline constexpr unsigned lanes_of_row = 8;
inline constexpr unsigned rows_of_warp = 32 / lanes_of_row;
inline constexpr std::uint32_t chunk_arcs = 1024;

/// Arcs first, first + stride, ... below end: the arcs that a lane reads at the same time.
template <unsigned Number>
struct some_arcs {
  std::uint32_t first;
  std::uint32_t stride;
  std::uint32_t end;

  __device__ std::uint32_t operator[](unsigned i) const { return first + i * stride; }
  __device__ bool has(unsigned i) const { return (*this)[i] < end; }
};

/// \returns the index of the n-th set bit, counted from 0 at the lowest; 32 if there is none.
__device__ __forceinline__ unsigned nth_bit(unsigned mask, unsigned n) {
  for (unsigned i = 0; i < n; ++i) mask &= mask - 1;
  return mask == 0 ? 32 : static_cast<unsigned>(__ffs(static_cast<int>(mask))) - 1;
}

/// Walks rows of up to long_row arcs, one per lane; all lanes of the warp call it.
/// \tparam Batch arcs of a short row that a lane reads at the same time.
/// \param visit(row, some_arcs) called by all lanes together; each has its own row and arcs, or
/// none.
/// \param end_of_row(row, lanes) called by all lanes together after the last arcs of the row;
/// `lanes` lanes share a row, 1 or lanes_of_row.
template <unsigned Batch, class Visit, class EndOfRow>
__device__ __forceinline__ void walk_rows(const row& mine, Visit visit, EndOfRow end_of_row) {
  constexpr unsigned all_lanes = 0xffffffffu;
  row own = mine;
  if (own.length() > short_row) own.end = own.begin;
  for (std::uint32_t first = own.begin; __any_sync(all_lanes, first < own.end); first += Batch)
    visit(own, some_arcs<Batch>{first, 1, own.end});
  end_of_row(own, 1u);

  constexpr unsigned batch = 4;
  const unsigned place = lane_id() % lanes_of_row;
  const bool is_longer = mine.length() > short_row && mine.length() <= long_row;
  for (unsigned longer = __ballot_sync(all_lanes, is_longer); longer != 0;) {
    const unsigned owner = nth_bit(longer, lane_id() / lanes_of_row);
    row shared;
    shared.vertex = __shfl_sync(all_lanes, mine.vertex, static_cast<int>(owner % 32));
    shared.component = __shfl_sync(all_lanes, mine.component, static_cast<int>(owner % 32));
    shared.begin = __shfl_sync(all_lanes, mine.begin, static_cast<int>(owner % 32));
    shared.end = __shfl_sync(all_lanes, mine.end, static_cast<int>(owner % 32));
    if (owner == 32) shared.end = shared.begin;
    for (std::uint32_t first = shared.begin + place; __any_sync(all_lanes, first < shared.end);
         first += batch * lanes_of_row)
      visit(shared, some_arcs<batch>{first, lanes_of_row, shared.end});
    end_of_row(shared, lanes_of_row);
    for (unsigned i = 0; i < rows_of_warp; ++i) longer &= longer - 1;
  }
}

/// One of the arcs of a row, or none.
struct arc_of_row {
  std::uint32_t vertex = 0;
  std::uint32_t component = 0;
  std::uint32_t arc = 0;
  bool is_real = false;
};

/// Walks rows of any length, one per lane, arc by arc. Adjacent lanes have adjacent arcs, so reads
/// coalesce where rows are adjacent. All lanes of the warp call it.
/// \tparam Batch arcs that a lane reads at the same time.
/// \param visit(arc_of_row[Batch]) called by all lanes together.
template <unsigned Batch, class Visit>
__device__ __forceinline__ void walk_arcs(const row& mine, Visit visit) {
  constexpr unsigned all_lanes = 0xffffffffu;
  const std::uint32_t up_to_lane = sum_up_to_lane(mine.length());
  const std::uint32_t before_lane = up_to_lane - mine.length();
  const std::uint32_t arcs = __shfl_sync(all_lanes, up_to_lane, 31);
  for (std::uint32_t first = 0; first < arcs; first += Batch * 32) {
    arc_of_row found[Batch];
    for (unsigned i = 0; i < Batch; ++i) {
      const std::uint32_t number = first + i * 32 + lane_id();
      // The owner is the last lane whose earlier lanes have at most `number` arcs in total.
      int owner = 0;
      for (int step = 16; step > 0; step /= 2)
        if (__shfl_sync(all_lanes, before_lane, owner + step) <= number) owner += step;
      found[i].is_real = number < arcs;
      found[i].arc = __shfl_sync(all_lanes, mine.begin - before_lane, owner) + number;
      found[i].vertex = __shfl_sync(all_lanes, mine.vertex, owner);
      found[i].component = __shfl_sync(all_lanes, mine.component, owner);
    }
    visit(found);
  }
}

/// A part of a long row.
struct alignas(16) chunk {
  std::uint32_t vertex;
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t slot;  ///< index of the row among the long rows
};

// For each tile of arcs, the row of its first arc is known.
inline constexpr std::uint32_t arcs_of_tile = 16;

/// The first tile that does not begin before an arc.
__host__ __device__ constexpr std::uint32_t tile_behind(std::uint32_t arc) {
  return (arc + arcs_of_tile - 1) / arcs_of_tile;
}

/// Finds the rows of some arcs, all at the same time. \param row_of_tile the vertex of each tile.
/// \param wanted arcs to find; for the others the vertex is 0.
template <unsigned Number>
__device__ __forceinline__ void find_rows(const graph_ref& graph,
                                          const cell<std::uint32_t>* row_of_tile,
                                          const std::uint32_t (&arcs)[Number],
                                          const bool (&wanted)[Number],
                                          std::uint32_t (&vertices)[Number]) {
  std::uint32_t last[Number];
  for (unsigned i = 0; i < Number; ++i) {
    const std::uint32_t tile = arcs[i] / arcs_of_tile;
    vertices[i] = wanted[i] ? std::uint32_t{row_of_tile[tile]} : 0;
    last[i] = !wanted[i]                           ? 0
              : tile + 1 < tile_behind(graph.arcs) ? std::uint32_t{row_of_tile[tile + 1]}
                                                   : graph.vertices - 1;
  }
  // The row is the last one that does not begin after the arc, as rows without arcs precede it.
  for (bool goes_on = true; goes_on;) {
    std::uint32_t middle[Number], begin[Number];
    for (unsigned i = 0; i < Number; ++i) {
      middle[i] = last[i] - (last[i] - vertices[i]) / 2;
      begin[i] = graph.rows[middle[i]];
    }
    goes_on = false;
    for (unsigned i = 0; i < Number; ++i) {
      if (begin[i] <= arcs[i])
        vertices[i] = middle[i];
      else
        last[i] = middle[i] - 1;
      goes_on = goes_on || vertices[i] < last[i];
    }
  }
}

/// Walks a chunk by a warp. \param visit(row, some_arcs) called by all lanes together, with arcs of
/// `whole`.
template <class Visit>
__device__ __forceinline__ void walk_chunk(const row& whole, Visit visit) {
  constexpr unsigned batch = 4;
  const std::uint32_t step = batch * 32;
  for (std::uint32_t first = whole.begin; first < whole.end; first += step)
    visit(whole, some_arcs<batch>{first + lane_id(), 32, whole.end});
}

}  // namespace finesync::mst
