// A matrix in square tiles, diagonal by diagonal. Tiles of a diagonal are independent.
#pragma once

#include <workloads/nw/matrix/score_matrix.cuh>

#include <algorithm>

namespace finesync::nw {

struct tile_place {
  unsigned row;
  unsigned column;
};

/// A diagonal of tiles, upwards to the right.
struct tile_diagonal {
  tile_place first;
  unsigned tiles;
};

class tiling {
 public:
  /// \param side rows and columns of a tile; the last tiles have fewer.
  tiling(const score_matrix_ref& scores, unsigned side)
      : down_((scores.rows + side - 1) / side), across_((scores.columns + side - 1) / side) {}

  unsigned diagonals() const { return down_ + across_ - 1; }
  tile_diagonal longest() const { return diagonal(down_ - 1); }

  /// Visits diagonals in dependence order. Rodinia has one kernel for growing diagonals and one for
  /// shrinking ones, which differ only in this.
  template <class Use>
  void each_diagonal(Use use) const {
    for (unsigned number = 0; number < diagonals(); ++number) use(diagonal(number));
  }

 private:
  tile_diagonal diagonal(unsigned number) const {
    const unsigned row = std::min(number, down_ - 1);
    const unsigned column = number - row;
    return {{row, column}, std::min(row + 1, across_ - column)};
  }

  unsigned down_;
  unsigned across_;
};

}  // namespace finesync::nw
