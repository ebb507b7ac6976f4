// Parameters of the reduction at one point of a sweep.
#pragma once

#include <workloads/applications/barrier_form.hpp>

#include <cstdint>

namespace finesync::reduce {

using applications::barrier_form;

/// The sum of an array of random 32-bit words, in 64 bits (Reduce of the thesis, table 4.3). In a
/// round each block sums its share of the words, all blocks meet at a grid barrier, and one block
/// adds the shares. A run does this in several rounds, as a kernel would that needs a sum in each
/// of its steps.
///
/// Every round's sum is verified against the exact one.
struct run_config {
  std::uint64_t words = 1 << 20;
  unsigned rounds = 10;
  unsigned threads_per_block = 256;
  unsigned blocks_per_sm = 1;  ///< 0: as many as fit
  bool backoff = true;         ///< between polls, for barriers that have one
  barrier_form form = barrier_form::blocking;
};

}  // namespace finesync::reduce
