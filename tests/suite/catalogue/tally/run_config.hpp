// Parameters of the workload at one point of a sweep.
#pragma once

namespace finesync::tally {

/// In each round, every thread increments one of several counters under the counter's lock.
struct run_config {
  unsigned blocks = 4;
  unsigned counters = 8;
  unsigned rounds = 16;
};

}  // namespace finesync::tally
