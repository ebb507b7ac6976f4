// The argument of every kernel of nw.
#pragma once

#include <workloads/nw/matrix/score_matrix.cuh>

#include <cstdint>

namespace finesync::nw {

/// Needleman-Wunsch on letters given as numbers (inputs/sequences/scoring.hpp). Every cell
/// becomes
///|  at(i, 0) = -gap * i, at(0, j) = -gap * j: set before, and for all others
///|  max(at(i-1, j-1) + similarity(down[i-1], across[j-1]), at(i-1, j) - gap, at(i, j-1) - gap).
struct task {
  static constexpr unsigned letters = 24;  ///< largest size of an alphabet
  /// Letters before and after `down` and `across` that may be read and have no meaning.
  static constexpr unsigned margin = 256;

  const std::uint8_t* down;         ///< rows letters, margin before and after
  const std::uint8_t* across;       ///< columns letters, margin before and after
  const std::int8_t* similarities;  ///< letters x letters
  std::int32_t gap;                 ///< cost of a letter aligned with a gap, greater than 0
  score_matrix_ref scores;
};

}  // namespace finesync::nw
