// What every kernel of nw is given.
#pragma once

#include <workloads/nw/matrix/score_matrix.cuh>

#include <cstdint>

namespace finesync::nw {

/// Needleman-Wunsch on letters that are numbers (inputs/sequences/scoring.hpp): borders
/// at(i, 0) = -gap * i and at(0, j) = -gap * j are there, and every other cell becomes
///   max(at(i-1, j-1) + similarity(down[i-1], across[j-1]), at(i-1, j) - gap, at(i, j-1) - gap).
struct task {
  static constexpr unsigned letters = 24;  ///< of an alphabet, at most
  /// Letters in front of `down` and `across`, and behind them, that may be read and mean nothing.
  static constexpr unsigned margin = 256;

  const std::uint8_t* down;         ///< rows letters, margin before and after
  const std::uint8_t* across;       ///< columns letters, margin before and after
  const std::int8_t* similarities;  ///< letters x letters
  std::int32_t gap;                 ///< what a letter that stands alone costs, more than 0
  score_matrix_ref scores;
};

}  // namespace finesync::nw
