// The number of schedules after which a search accepts a primitive, and what only long runs try.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace finesync::test {

/// A quarter in scripts/test.sh, more in scripts/dev/nightly.sh, and 1 where nothing sets it.
inline double seed_factor() {
  const char* const factor = std::getenv("FINESYNC_SEED_FACTOR");
  return factor == nullptr ? 1 : std::stod(factor);
}

/// The seeds in every run of the tests, times FINESYNC_SEED_FACTOR, rounded up. A search for a
/// broken primitive's failure has a fixed number instead.
inline unsigned seed_budget(unsigned usual) {
  return static_cast<unsigned>(std::ceil(usual * seed_factor()));
}

/// The same in code that many versions share: all seeds for a version that is searched for the
/// rest, also by the faults of tests/*/faults, and a quarter for each other.
inline unsigned shared_seed_budget(unsigned usual, bool is_searched_for_all) {
  return seed_budget(is_searched_for_all ? usual : (usual + 3) / 4);
}

/// What a test takes in a run with fewer seeds, and what in one with all: a size, a step.
template <class Number>
Number daily_or_whole(Number daily, Number whole) {
  return seed_factor() < 1 ? daily : whole;
}

/// Whether a daily run, which tries one case in so many, tries this one. \param number of the case
/// plus one of the version: versions that share their cases try all of them together.
inline bool is_due(std::size_t number, unsigned one_in) {
  return number % daily_or_whole(one_in, 1u) == 0;
}

}  // namespace finesync::test
