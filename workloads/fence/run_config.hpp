// What the fence workload does at one point of a sweep.
#pragma once

namespace finesync::fence_cost {

/// What a round touches: a word that no other block uses.
enum class place : unsigned {
  none,
  near_l2,  ///< in device memory, on the SM's own side of the L2
  far_l2,   ///< in device memory, on the other side
  shared_memory,
};

enum class access : unsigned { load, store, addition };

/// How many rounds a run has at most: the cycles of each wait in shared memory until it is over, as
/// writing them to device memory would be one more access that fences have to wait for.
inline constexpr unsigned most_rounds = 1024;

/// One block on each SM, and in each round: a release fence of the device, so that the SM has
/// touched nothing since its last one; an access, relaxed; a pause; then the fence in question, by
/// thread 0. On an H200 what that costs is decided by what the whole SM has touched.
///
/// An experiment verifies that every access took place and that the blocks ran on as many SMs. It
/// measures the cycles from before the fence to behind a store and a load of shared memory that
/// come after it, less those of the store and the load alone: their quantiles over all blocks and
/// rounds. The first round is left out, as it fetches the code.
struct run_config {
  place accessed = place::none;
  access kind = access::store;
  bool by_other_warp = false;  ///< that of the access; else thread 0's
  /// After the pause a thread of the other warp executes a release fence of the device.
  bool fenced_before = false;
  unsigned delay = 2000;  ///< the pause, in cycles
  unsigned rounds = 1000;
};

}  // namespace finesync::fence_cost
