// SPDX-License-Identifier: Apache-2.0
// Forms of a barrier that overlap with work. A participant may offer, in addition to wait():
//
//|  split-phase  arrival_token mine = p.arrive();  by all threads of the block: the block arrives
//|               ...                               work independent of other blocks
//|               bool p.wait(mine)                 waits until all blocks have arrived
//|
//|  overlapped   bool p.wait_overlapped(work)      by all threads of a block of two warps or more:
//|                                                 the first warp runs the barrier while the
//|                                                 others call work()
//
// Split-phase: after wait(mine), every thread sees what any thread wrote before arrive(). Accesses
// in between have no order with other blocks. arrive() waits for its own block and its own memory
// operations, never for other blocks. Every arrive() is followed by its wait(mine) before the next
// arrive() or wait().
//
// Overlapped: after wait_overlapped(), every thread sees what any thread wrote before it; work()
// runs until it returns. In a loop `while (p.wait_overlapped(work_of(round))) ++round`:
// - The work of round r sees all writes of rounds up to r - 2; it may or may not see those of
//   rounds r - 1, r and r + 1.
// - Two blocks are never more than one round apart. Four sets of words in turn, or data accessed
//   only by atomics, are therefore free of races. Two sets suffice if the work of a round uses only
//   its own set.
// - work() runs on all threads but the first 32 and must not contain a barrier of the whole block
//   (__syncthreads).
// - Between two calls of wait_overlapped() all threads run, ordered as between two calls of wait().
//
// All return false, for all threads of the block alike, if the watchdog ended a wait.
//
// Reduction: a participant of counter_participant.cuh can reduce a number. All threads call
// p.contribute(number) before the arrival; the first thread's number counts, and without the call a
// block contributes nothing. After the wait p.reduced() returns the reduction over all blocks. It
// is valid under any memory ordering, because it arrives with the arrivals.
//
// Misuse (a second arrival, a wait without its arrival, a wait() in between, overlap in a
// one-warp block) ends a launch on the host executor; a GPU does not check it.
#pragma once

#include "finesync/device/arrival_check.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/platform.cuh"

#include <concepts>

namespace finesync::inline FINESYNC_ABI {

/// A barrier step that the block's first `callers` threads, at most a warp, can run after a block
/// barrier; the other threads need not take part.
template <class Participant>
concept has_sync_for_block = requires(Participant p) {
  { p.sync_for_block() } -> std::same_as<bool>;
};

/// A barrier step that is faster if all threads of the block take part.
template <class Participant>
concept has_sync_by_all = requires(Participant p) {
  { p.sync_by_all() } -> std::same_as<bool>;
};

/// The same step in two parts; the first does not wait for other blocks.
template <class Participant>
concept has_split_phase = requires(Participant p) {
  { p.arrive_for_block() } -> std::same_as<void>;
  { p.wait_for_block() } -> std::same_as<bool>;
};

/// What the forms above need from a participant.
template <class Participant>
concept supports_split_phase = requires(Participant p) {
  { p.wait(p.arrive()) } -> std::same_as<bool>;
};
template <class Participant>
concept supports_overlap = requires(Participant p, void (*work)()) {
  { p.wait_overlapped(work) } -> std::same_as<bool>;
};

template <class Participant>
concept supports_reduction = requires(Participant p) {
  p.share_reduced();
  p.take_reduced();
};

/// Adds these forms to a participant, its base class, from what its first warp does.
template <class Participant>
class with_overlap : public Participant {
 public:
  using Participant::Participant;
  __device__ explicit with_overlap(const Participant& participant) : Participant(participant) {}

  __device__ bool wait() {
    check_.whole();
    if constexpr (has_sync_by_all<Participant>) {
      return this->sync_by_all();
    } else {
      __syncthreads();
      return end_barrier(!is_caller() || this->sync_for_block());
    }
  }

  __device__ arrival_token arrive() requires has_split_phase<Participant> {
    const arrival_token mine = check_.arrive();
    __syncthreads();
    if (is_caller()) this->arrive_for_block();
    return mine;
  }

  __device__ bool wait(arrival_token mine) requires has_split_phase<Participant> {
    check_.wait(mine);
    return end_barrier(!is_caller() || this->wait_for_block());
  }

  /// \param work called without arguments by all threads except the first 32.
  template <class Work>
  __device__ bool wait_overlapped(Work work) requires has_sync_for_block<Participant> {
    check_.during_work();
    __syncthreads();
    bool ok = true;
    if (is_caller())
      ok = this->sync_for_block();
    else if (thread_rank() >= 32)
      work();
    return end_barrier(ok);
  }

 private:
  __device__ static bool is_caller() { return thread_rank() < Participant::callers; }

  __device__ bool end_barrier(bool ok) {
    if constexpr (supports_reduction<Participant>)
      if (is_first_of_block()) this->share_reduced();
    ok = __syncthreads_or(!ok) == 0;
    if constexpr (supports_reduction<Participant>) this->take_reduced();
    return ok;
  }

  [[no_unique_address]] arrival_check check_;
};

}  // namespace finesync::inline FINESYNC_ABI
