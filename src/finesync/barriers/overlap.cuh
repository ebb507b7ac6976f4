// Barriers that overlap with work. What a participant may offer besides wait():
//
//|  split    arrival mine = p.arrive();       by all threads of the block: the block has come
//|           ...                              work of which other blocks know nothing
//|           bool p.wait(mine)                until all blocks have come
//|
//|  fuzzy    bool p.overlap(work)             by all threads of a block of two warps or more: the
//|                                            first warp meets the other blocks, the others call
//|                                            work() meanwhile
//
// Split: what a thread wrote before arrive(), every thread reads after wait(mine). What it does in
// between is ordered with nothing of another block. arrive() waits for its own block and its own
// memory, never for others. Each arrival is followed by its wait before the next, and no wait() in
// one piece between the two.
//
// Fuzzy: what a thread wrote before overlap(), every thread reads after it; and, until overlap()
// returns, work() runs. So, of rounds that are `while (p.overlap(work_of(round))) ++round`:
// - the work of round r sees what all blocks did in rounds up to r - 2; of r - 1, r and r + 1 it
//   may see some or nothing;
// - two blocks are never more than one round apart, so four sets of words in turn, or data that
//   only atomics touch, are free of races; so are two sets if work of a round keeps to its own;
// - work() has blockDim.x - 32 threads, and no barrier of the whole block (__syncthreads) in it;
// - what is done between two overlap() is done by all threads, and is as between two wait().
//
// All return false, for all threads of the block alike, when the watchdog ended a wait.
//
// Payload: a participant of counter_meeting.cuh can carry a number. p.bring(number), by all threads
// before the arrival, says what the block brings (its first thread's counts; without it a block
// brings nothing), and after the wait p.combined() is what all blocks have brought. That is known
// when the wait returns, by whatever order: it comes with the arrivals themselves.
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
concept meets_by_first_warp = requires(Participant p) {
  { p.meet_for_block() } -> std::same_as<bool>;
};

/// One that is quicker when all threads of the block take part.
template <class Participant>
concept meets_by_all = requires(Participant p) {
  { p.meet_by_all() } -> std::same_as<bool>;
};

/// The same in two parts, of which the first does not wait for other blocks.
template <class Participant>
concept meets_in_two_parts = requires(Participant p) {
  { p.arrive_for_block() } -> std::same_as<void>;
  { p.wait_for_block() } -> std::same_as<bool>;
};

/// What the forms above need of a participant.
template <class Participant>
concept splits = requires(Participant p) {
  { p.wait(p.arrive()) } -> std::same_as<bool>;
};
template <class Participant>
concept overlaps = requires(Participant p, void (*work)()) {
  { p.overlap(work) } -> std::same_as<bool>;
};

template <class Participant>
concept carries_payload = requires(Participant p) {
  p.share_combined();
  p.take_combined();
};

/// Makes the forms of a barrier for a participant, its base class, from what its first warp does.
/// wait() in one piece stays the participant's own.
template <class Meeting>
class overlapping : public Meeting {
 public:
  using Meeting::Meeting;
  __device__ explicit overlapping(const Meeting& meeting) : Meeting(meeting) {}

  __device__ bool wait() {
    check_.whole();
    if constexpr (meets_by_all<Meeting>) {
      return this->meet_by_all();
    } else {
      __syncthreads();
      return closed(!is_caller() || this->meet_for_block());
    }
  }

  __device__ arrival arrive() requires meets_in_two_parts<Meeting> {
    const arrival mine = check_.arrive();
    __syncthreads();
    if (is_caller()) this->arrive_for_block();
    return mine;
  }

  __device__ bool wait(arrival mine) requires meets_in_two_parts<Meeting> {
    check_.wait(mine);
    return closed(!is_caller() || this->wait_for_block());
  }

  /// \param work called without arguments by all threads but the first 32.
  template <class Work>
  __device__ bool overlap(Work work) requires meets_by_first_warp<Meeting> {
    check_.beside_work();
    __syncthreads();
    bool ok = true;
    if (is_caller())
      ok = this->meet_for_block();
    else if (threadIdx.x >= 32)
      work();
    return closed(ok);
  }

 private:
  __device__ static bool is_caller() { return threadIdx.x < Meeting::callers; }

  __device__ bool closed(bool ok) {
    if constexpr (carries_payload<Meeting>)
      if (threadIdx.x == 0) this->share_combined();
    ok = __syncthreads_or(!ok) == 0;
    if constexpr (carries_payload<Meeting>) this->take_combined();
    return ok;
  }

  [[no_unique_address]] arrival_check check_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
