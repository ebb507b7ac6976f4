// Configuration of the chain workload at one point of a sweep.
#pragma once

namespace finesync::chain {

/// ICS'15, Listing 10: A[i + distance] = A[i] + i, one element per thread of a block. Additions
/// that do not depend on other threads are done beforehand. A chain per residue modulo `distance`
/// remains: each thread waits for the sum of the thread before it and passes on its own. With a
/// distance of 32 sums go from warp to warp; below 32 they also go through the lanes of each warp.
///
/// An experiment verifies every sum of every round. It measures the SM cycles from the first
/// thread's start to the last thread's end, after its last store or arrival: quantiles over the
/// rounds.
struct run_config {
  unsigned warps = 16;
  unsigned distance = 32;
  unsigned rounds = 200;  ///< chains, one after the other, in one launch
};

/// Limit of rounds per run, because their sums are kept for verification.
inline constexpr unsigned max_rounds = 1024;

}  // namespace finesync::chain
