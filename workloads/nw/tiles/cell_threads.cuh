// A tile computed by a block with a thread for each cell.
#pragma once

#include <bench/experiment.hpp>
#include <workloads/nw/matrix/recurrence.cuh>
#include <workloads/nw/matrix/task.cuh>
#include <workloads/nw/tiles/diagonals.hpp>

#include <cstdint>

namespace finesync::nw {

/// The cell of a thread. A tile of Side x Side threads has (Side - 1) x (Side - 1) cells. The other
/// threads stand for the cells to the north and west, on which these depend.
template <unsigned Side>
struct cell_of_thread {
  unsigned i;
  unsigned j;

  __device__ explicit cell_of_thread(const tile_place& tile)
      : i(tile.row * (Side - 1) + threadIdx.x / Side),
        j(tile.column * (Side - 1) + threadIdx.x % Side) {}

  /// Whether the cell lies around the tile.
  __device__ static bool is_around() { return threadIdx.x < Side || threadIdx.x % Side == 0; }
  /// Whether the cell is in the matrix; tiles may extend past its edges.
  __device__ bool is_in(const score_matrix_ref& scores) const {
    return i <= scores.rows && j <= scores.columns;
  }
  /// The similarity for score_of(); 0 for cells around the tile or outside the matrix.
  __device__ std::int32_t similarity(const task& what) const {
    return is_around() || !is_in(what.scores) ? 0 : similarity_at(what, i, j);
  }
};

/// If no side is given, chooses the largest tile that an SM holds; \returns use.template
/// operator()<Side>().
template <class Use>
auto with_side(unsigned asked, unsigned threads_of_sm, Use use) {
  if (asked == 0) asked = threads_of_sm < 1024 ? 16 : 32;
  switch (asked) {
    case 8:
      return use.template operator()<8>();
    case 16:
      return use.template operator()<16>();
    case 32:
      return use.template operator()<32>();
    default:
      throw bench::infeasible("tiles have 8, 16 or 32 rows and columns of threads");
  }
}

}  // namespace finesync::nw
