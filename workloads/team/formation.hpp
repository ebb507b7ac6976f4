// Which blocks form which team.
#pragma once

#include <finesync/barriers/team_barrier.cuh>

namespace finesync::team {

/// A matrix of blocks: its rows are teams, and so are its columns if they cross.
struct formation {
  unsigned rows;
  unsigned columns;

  __host__ __device__ unsigned blocks() const { return rows * columns; }
  __host__ __device__ unsigned teams() const { return rows + columns; }

  __device__ team_place row_of(unsigned block) const {
    return {.team = block / columns, .rank = block % columns, .members = columns};
  }
  __device__ team_place column_of(unsigned block) const {
    return {.team = rows + block % columns, .rank = block / columns, .members = rows};
  }
  /// The next member of the same team.
  __device__ unsigned next_in_row(unsigned block) const {
    return block / columns * columns + (block % columns + 1) % columns;
  }
  __device__ unsigned next_in_column(unsigned block) const { return (block + columns) % blocks(); }
};

}  // namespace finesync::team
