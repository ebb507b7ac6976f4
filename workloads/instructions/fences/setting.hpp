// What a fence is timed after. Plain C++.
#pragma once

namespace finesync::instructions::fences {

/// The word that a round accesses; no other block uses it.
enum class place : unsigned {
  none,
  near_l2,  ///< in device memory, on the SM's own side of the L2
  far_l2,   ///< in device memory, on the other side
  shared_memory,
};

enum class access : unsigned { load, store, addition };

/// One block per SM. Each round executes a device-scope release fence, so that the SM has no
/// accesses since its last one; then a relaxed access; a delay; and the measured fence, by thread
/// 0. On an H200 the accesses of the whole SM decide the cost.
///
/// An experiment verifies that every access took place and that each block ran on its own SM. It
/// measures the cycles from before the fence to the end of a store and a load of shared memory that
/// follow it, less the cycles of that store and load without a fence: quantiles over all blocks and
/// rounds. The first round is left out, as it fetches the code.
struct setting {
  place accessed = place::none;
  access kind = access::store;
  bool by_other_warp = false;  ///< the other warp executes the access; else thread 0
  /// After the delay a thread of the other warp executes a device-scope release fence.
  bool fenced_before = false;
  unsigned delay = 2000;  ///< in cycles, from the access to the fence
};

}  // namespace finesync::instructions::fences
