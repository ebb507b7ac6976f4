// A ring of stages: parts of shared memory that some warps of a block fill and others empty, one
// after the other, while the fillers are already at the next ones.
//
// Participants: whole warps, as many as open() was told, each at every stage.
// Scope: block.
// Ordering: what the fillers wrote before producer_commit(), all who saw consumer_ready() read;
// what those did
//   before consumer_release(), comes before whatever a filler does that saw producer_acquire().
// Progress: fillers wait for who empties, and the other way round.
// Residency: a block's.
// Traffic: an arrival per warp and stage; a poll may wait in hardware.
// Memory: 16 bytes a stage.
// Reset: close(), a barrier of the block, open().
#pragma once

#include <finesync/device/ptx/mbarrier.cuh>
#include <finesync/device/warp.cuh>

namespace finesync::nw {

/// In shared memory; nobody copies it. Stages are numbered from 0 on, and stage n is part
/// n % Stages of whatever memory the caller keeps for them. All lanes of a warp call each member
/// but the first two.
/// \tparam Stages a power of two.
template <unsigned Stages>
class stage_pipeline {
  static_assert((Stages & (Stages - 1)) == 0);

 public:
  /// One thread, before a barrier of the block. \param fillers, emptiers warps.
  __device__ void open(unsigned fillers, unsigned emptiers) {
    for (unsigned part = 0; part < Stages; ++part) {
      filled_[part].init(fillers);
      emptied_[part].init(emptiers);
    }
  }
  /// One thread, behind a barrier of the block.
  __device__ void close() {
    for (unsigned part = 0; part < Stages; ++part) {
      filled_[part].invalidate();
      emptied_[part].invalidate();
    }
  }

  __device__ static unsigned part_of(unsigned stage) { return stage % Stages; }

  /// Whether nobody needs any more what stage - Stages had in its part.
  __device__ bool producer_acquire(unsigned stage) {
    return stage < Stages || emptied_[part_of(stage)].has_ended(stage / Stages - 1);
  }
  /// The warp has written its share.
  __device__ void producer_commit(unsigned stage) { arrive(filled_[part_of(stage)]); }
  /// Whether all fillers have.
  __device__ bool consumer_ready(unsigned stage) {
    return filled_[part_of(stage)].has_ended(stage / Stages);
  }
  /// The warp has read what it needs.
  __device__ void consumer_release(unsigned stage) { arrive(emptied_[part_of(stage)]); }

  /// The same questions, by who has other work if the answer is no.
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
