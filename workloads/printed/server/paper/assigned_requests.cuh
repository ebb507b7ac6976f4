// SPDX-License-Identifier: Apache-2.0
// A follower's end of an assignment buffer (paper/inbox.cuh) for a warp that goes on to work on
// other requests while some of its lanes have none: lanes read what is assigned as they become
// idle. The follower is free for its next assignment once it has read this one.
//
// Participants: all lanes of one follower warp, together.
// Ordering: what the leader has acquired happens before the lanes' reads.
// Traffic: a look in shared memory; one read per request, of consecutive slots.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/server/masked_rings.cuh>
#include <workloads/printed/server/paper/inbox.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

template <class Argument, scope Scope>
class assigned_requests {
 public:
  using rings = masked_rings<Argument, Scope>;

  __device__ assigned_requests(const rings& from, unsigned server, assignment_table& table,
                               unsigned follower)
      : rings_(from), table_(table), server_(server), follower_(follower) {}

  /// Reads a request for each lane that is `idle`, while there are any. \returns it; undefined in
  /// lanes that are not `here`.
  __device__ typename rings::request read(bool idle, bool& here) {
    here = false;
    if (left_ == 0) look();
    if (left_ == 0) return {};
    const unsigned ready = __ballot_sync(all_lanes, idle);
    const auto most = static_cast<std::uint32_t>(__popc(ready));
    const std::uint32_t reads = left_ < most ? left_ : most;
    if (reads == 0) return {};
    here = idle && lanes_below(ready) < reads;
    typename rings::request request = {};
    if (here) request = rings_.load(server_, next_ + lanes_below(ready));
    next_ += reads;
    left_ -= reads;
    // Lane 0 releases the slots that all lanes have read.
    __syncwarp();
    if (lane_id() == 0) {
      block_word(table_.resets[counter_].current).fetch_add(reads, memory_order::release);
      if (left_ == 0) assigned().store(assignment::none, memory_order::relaxed);
    }
    return request;
  }

  /// Whether the leader has dismissed the follower: there will be no more requests.
  __device__ bool dismissed() const { return dismissed_; }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  __device__ block_word assigned() const { return block_word(table_.assigned[follower_]); }

  __device__ void look() {
    assignment work = {assignment::none};
    if (lane_id() == 0 && !dismissed_) work.word = assigned().load(memory_order::acquire);
    work.word = __shfl_sync(all_lanes, work.word, 0);
    __syncwarp();  // extends lane 0's acquire to all lanes
    dismissed_ = dismissed_ || work.word == assignment::leave;
    if (work.word == assignment::none || dismissed_) return;
    next_ = work.assign_idx();
    left_ = work.assign_size();
    counter_ = work.reset_counter_id();
  }

  const rings& rings_;
  assignment_table& table_;
  unsigned server_;
  unsigned follower_;
  std::uint32_t next_ = 0;  ///< slot of the first request that is not read
  std::uint32_t left_ = 0;  ///< requests of the assignment that are not read
  unsigned counter_ = 0;    ///< their reset counter
  bool dismissed_ = false;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
