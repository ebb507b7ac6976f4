// A ring of stages in shared memory. Some warps of a block fill stages in order while others empty
// earlier ones.
//
// Use: if (p.producer_acquire(stage)) { write; p.producer_commit(stage); }
//   if (p.consumer_ready(stage)) { read; p.consumer_release(stage); }
// Participants: whole warps, as many as passed to open(), each at every stage.
// Scope: block.
// Ordering: a warp that sees consumer_ready() reads what the producers wrote before
//   producer_commit(). A producer that sees producer_acquire() writes after all that consumers did
//   before consumer_release().
// Progress: producers wait for consumers, and consumers for producers.
// Residency: a block's.
// Traffic: an arrival per warp and stage; a poll may wait in hardware.
// Memory: 16 bytes per stage.
// Reset: close(), a barrier of the block, open().
#pragma once

#include <finesync/device/ptx/mbarrier.cuh>
#include <finesync/device/warp.cuh>

namespace finesync::nw {

/// Placed in shared memory; not copied. Stages are numbered from 0; stage n uses part n % Stages of
/// the caller's memory. All lanes of a warp call each member except open() and close().
/// \tparam Stages a power of two.
template <unsigned Stages>
class stage_pipeline {
  static_assert((Stages & (Stages - 1)) == 0);

 public:
  /// Called by one thread, before a barrier of the block. \param fillers, emptiers warps.
  __device__ void open(unsigned fillers, unsigned emptiers) {
    for (unsigned part = 0; part < Stages; ++part) {
      filled_[part].init(fillers);
      emptied_[part].init(emptiers);
    }
  }
  /// Called by one thread, after a barrier of the block.
  __device__ void close() {
    for (unsigned part = 0; part < Stages; ++part) {
      filled_[part].invalidate();
      emptied_[part].invalidate();
    }
  }

  __device__ static unsigned part_of(unsigned stage) { return stage % Stages; }

  /// Whether all consumers have released stage - Stages, which used the same part.
  __device__ bool producer_acquire(unsigned stage) {
    return stage < Stages || emptied_[part_of(stage)].has_ended(stage / Stages - 1);
  }
  /// The warp has written its share.
  __device__ void producer_commit(unsigned stage) { arrive(filled_[part_of(stage)]); }
  /// Whether all producers have committed the stage.
  __device__ bool consumer_ready(unsigned stage) {
    return filled_[part_of(stage)].has_ended(stage / Stages);
  }
  /// The warp has read all that it needs.
  __device__ void consumer_release(unsigned stage) { arrive(emptied_[part_of(stage)]); }

  /// The same tests without waiting, for warps with other work.
  __device__ bool producer_acquire_by_now(unsigned stage) {
    return stage < Stages || emptied_[part_of(stage)].has_ended_by_now(stage / Stages - 1);
  }
  __device__ bool consumer_ready_by_now(unsigned stage) {
    return filled_[part_of(stage)].has_ended_by_now(stage / Stages);
  }

 private:
  __device__ static void arrive(mbarrier& at) {
    __syncwarp();
    if (lane_id() == 0) at.arrive();
  }

  mbarrier filled_[Stages];
  mbarrier emptied_[Stages];
};

}  // namespace finesync::nw
