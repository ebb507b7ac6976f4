// The number of schedules after which a search accepts a primitive.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

namespace finesync::test {

/// The seeds in every run of the tests, times FINESYNC_SEED_FACTOR if it is set (a quarter in
/// scripts/test.sh, more in scripts/nightly.sh), rounded up. A search for a broken primitive's
/// failure has a fixed number instead.
inline unsigned seed_budget(unsigned usual) {
  const char* const factor = std::getenv("FINESYNC_SEED_FACTOR");
  return factor == nullptr ? usual : static_cast<unsigned>(std::ceil(usual * std::stod(factor)));
}

/// The same in code that many versions share: all seeds for a version that is searched for the
/// rest, also by the faults of tests/*/faults, and a quarter for each other.
inline unsigned shared_seed_budget(unsigned usual, bool is_searched_for_all) {
  return seed_budget(is_searched_for_all ? usual : (usual + 3) / 4);
}

}  // namespace finesync::test
