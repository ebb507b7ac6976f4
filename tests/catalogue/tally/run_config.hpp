// What the workload does at one point of a sweep.
#pragma once

namespace finesync::tally {

/// Every thread adds one to one of some counters in each round, under the counter's lock.
struct run_config {
  unsigned blocks = 4;
  unsigned counters = 8;
  unsigned rounds = 16;
};

}  // namespace finesync::tally
