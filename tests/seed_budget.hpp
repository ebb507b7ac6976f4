// The number of schedules after which a search accepts a primitive.
#pragma once

#include <cstdlib>
#include <string>

namespace finesync::test {

/// The seeds in every run of the tests, times FINESYNC_SEED_FACTOR if it is set
/// (scripts/nightly.sh). A search for a broken primitive's failure has a fixed number instead.
inline unsigned seed_budget(unsigned usual) {
  const char* const factor = std::getenv("FINESYNC_SEED_FACTOR");
  return factor == nullptr ? usual : usual * static_cast<unsigned>(std::stoul(factor));
}

}  // namespace finesync::test
