// How many schedules a search goes through before it calls a primitive right.
#pragma once

#include <cstdlib>
#include <string>

namespace finesync::test {

/// So many seeds in every run of the tests; times FINESYNC_SEED_FACTOR where the environment has it
/// (scripts/nightly.sh). A search for what a broken primitive does wrong has a fixed number
/// instead.
inline unsigned seed_budget(unsigned usual) {
  const char* const factor = std::getenv("FINESYNC_SEED_FACTOR");
  return factor == nullptr ? usual : usual * static_cast<unsigned>(std::stoul(factor));
}

}  // namespace finesync::test
