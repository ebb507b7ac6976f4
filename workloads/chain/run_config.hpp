// What the chain workload does at one point of a sweep.
#pragma once

namespace finesync::chain {

/// ICS'15, Listing 10: A[i + distance] = A[i] + i, for one thread of a block each. The additions
/// are done beforehand as far as they can be, so what is left is a chain: of every `distance`
/// threads, one after the other, each of which waits for the sum of the one before and hands on its
/// own. A distance of 32 goes from warp to warp, one below goes through the lanes of each warp.
///
/// An experiment verifies every sum of every round. It measures the cycles of the SM from the first
/// thread's begin to the last one's end, which is behind its last store or arrival: quantiles over
/// the rounds.
struct run_config {
  unsigned warps = 16;
  unsigned distance = 32;
  unsigned rounds = 200;  ///< chains, one after the other, in one launch
};

/// How many rounds a run has at most: their sums are kept for verification.
inline constexpr unsigned most_rounds = 1024;

}  // namespace finesync::chain
