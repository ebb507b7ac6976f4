// Parameters of the matrix factorisation at one point of a sweep.
#pragma once

#include <cstdint>
#include <string>

namespace finesync::sgd {

/// Matrix factorisation by stochastic gradient descent (ASPLOS'19 section 4.1, SGD). Users and
/// movies have a vector of features each; the product of two vectors should be the rating. An epoch
/// takes every rating once, and moves both vectors a step towards it.
struct problem {
  std::string input;          ///< argument of load_ratings()
  std::uint32_t ratings = 0;  ///< use only this many ratings, the first ones; 0: all
  unsigned features = 16;     ///< 1 to most_features
  unsigned epochs = 1;        ///< epochs of a run
};

inline constexpr unsigned most_features = 64;

/// Step size, and weight of the pull towards zero.
inline constexpr float learning_rate = 0.01f;
inline constexpr float regularisation = 0.02f;

/// The experiment verifies that its vectors predict the ratings as well as those of a sequential
/// run. Then it verifies that no step is lost or made twice: after each run by one more of the same
/// kernel, in which vectors only shrink, and once with features that only count.
struct run_config {
  sgd::problem problem;
  unsigned threads_per_block = 64;
  unsigned blocks_per_sm = 1;      ///< 0: as many as fit
  unsigned sms = 0;                ///< blocks_per_sm blocks for each of this many SMs; 0: all
  bool padded_locks = false;       ///< each lock on its own cache lines
  std::uint32_t section_work = 0;  ///< arithmetic in each section, in units of about 1,000 cycles
  /// For Latin-square rounds: groups of movies (0: one for each SM), and minimum length of a long
  /// run (0: derived from the most popular movie's ratings).
  unsigned groups = 0;
  unsigned least_long = 0;
  unsigned servers_percent = 75;  ///< share of the blocks
};

}  // namespace finesync::sgd
