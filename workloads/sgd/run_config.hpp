// What the matrix factorisation does at one point of a sweep.
#pragma once

#include <cstdint>
#include <string>

namespace finesync::sgd {

/// Matrix factorisation by stochastic gradient descent (ASPLOS'19 section 4.1, SGD): users and
/// movies have a vector of features each, whose product should be the rating. An epoch takes every
/// rating once, and moves both vectors a step towards it.
struct problem {
  std::string input;          ///< of load_ratings()
  std::uint32_t ratings = 0;  ///< the first so many of it; 0: all
  unsigned features = 16;     ///< 16, 32 or 64
  unsigned epochs = 1;        ///< of a run
};

/// How far a step goes, and how strongly it is drawn to zero.
inline constexpr float learning_rate = 0.01f;
inline constexpr float regularisation = 0.02f;

/// An experiment verifies that its vectors predict the ratings as well as those of a sequential
/// run; and once, with features that only count, that no step was lost and none made twice.
struct run_config {
  sgd::problem problem;
  unsigned threads_per_block;
  unsigned blocks_per_sm;     ///< 0: as many as fit
  bool padded_locks = false;  ///< each lock on lines of its own
  /// For timetables: groups of movies, 0: one for each SM; and the length of a long run, 0: as the
  /// most popular movie's ratings suggest.
  unsigned groups = 0;
  unsigned least_long = 0;
  unsigned servers_percent = 75;  ///< of the blocks
};

}  // namespace finesync::sgd
