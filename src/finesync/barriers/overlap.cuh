// Barriers that overlap with work. What a participant may offer besides wait():
//
//|  split    arrival_token mine = p.arrive();       by all threads of the block: the block has come
//|           ...                              work of which other blocks know nothing
//|           bool p.wait(mine)                until all blocks have come
//|
//|  fuzzy    bool p.wait_overlapped(work)             by all threads of a block of two warps or more: the
//|                                            first warp meets the other blocks, the others call
//|                                            work() meanwhile
//
// Split: what a thread wrote before arrive(), every thread reads after wait(mine). What it does in
// between is ordered with nothing of another block. arrive() waits for its own block and its own
// memory, never for others. Each arrival is followed by its wait before the next, and no wait() in
// one piece between the two.
//
// Fuzzy: what a thread wrote before wait_overlapped(), every thread reads after it; and, until
// wait_overlapped() returns, work() runs. So, of rounds that are `while
// (p.wait_overlapped(work_of(round))) ++round`:
// - the work of round r sees what all blocks did in rounds up to r - 2; of r - 1, r and r + 1 it
//   may see some or nothing;
// - two blocks are never more than one round apart, so four sets of words in turn, or data that
//   only atomics touch, are free of races; so are two sets if work of a round keeps to its own;
// - work() has blockDim.x - 32 threads, and no barrier of the whole block (__syncthreads) in it;
// - what is done between two wait_overlapped() is done by all threads, and is as between two
// wait().
//
// All return false, for all threads of the block alike, when the watchdog ended a wait.
//
// Reduction: a participant of counter_participant.cuh can carry a number. p.contribute(number), by
// all threads before the arrival, says what the block brings (its first thread's counts; without it
// a block brings nothing), and after the wait p.reduced() is what all blocks have brought. That is
// known when the wait returns, by whatever order: it comes with the arrivals themselves.
//
// Misuse (a second arrival, a wait without its arrival, one in one piece in between, a block of one
// warp that overlaps) ends a launch on the host executor; a GPU does not check it.
#pragma once

#include "finesync/device/arrival_check.cuh"
#include "finesync/device/platform.cuh"

#include <concepts>

namespace finesync {
inline namespace FINESYNC_ABI {

/// A meeting of which the block's first `callers` threads, at most a warp, can do all once the
/// block has met; the others need not be there.
template <class Participant>
concept has_sync_for_block = requires(Participant p) {
  { p.sync_for_block() } -> std::same_as<bool>;
};

/// One that is quicker when all threads of the block take part.
template <class Participant>
concept has_sync_by_all = requires(Participant p) {
  { p.sync_by_all() } -> std::same_as<bool>;
};

/// The same in two parts, of which the first does not wait for other blocks.
template <class Participant>
concept has_split_phase = requires(Participant p) {
  { p.arrive_for_block() } -> std::same_as<void>;
  { p.wait_for_block() } -> std::same_as<bool>;
};

/// What the forms above need of a participant.
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

/// Makes the forms of a barrier for a participant, its base class, from what its first warp does.
/// wait() in one piece stays the participant's own.
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

  /// \param work called without arguments by all threads but the first 32.
  template <class Work>
  __device__ bool wait_overlapped(Work work) requires has_sync_for_block<Participant> {
    check_.beside_work();
    __syncthreads();
    bool ok = true;
    if (is_caller())
      ok = this->sync_for_block();
    else if (threadIdx.x >= 32)
      work();
    return end_barrier(ok);
  }

 private:
  __device__ static bool is_caller() { return threadIdx.x < Participant::callers; }

  __device__ bool end_barrier(bool ok) {
    if constexpr (supports_reduction<Participant>)
      if (threadIdx.x == 0) this->share_reduced();
    ok = __syncthreads_or(!ok) == 0;
    if constexpr (supports_reduction<Participant>) this->take_reduced();
    return ok;
  }

  [[no_unique_address]] arrival_check check_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
