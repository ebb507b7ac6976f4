// The lock by turns that follows from the flags of CUTLASS: a word names the block whose turn it
// is, and each holder passes the turn on to the next block of the grid.
//
// Use: as the locks of finesync/locks.
// Participants: one thread of each block, of all blocks, each equally often.
// Scope: device.
// Ordering: the poll that finds its own turn acquires, the addition that passes it on releases.
// Progress: blocks enter in the order of their numbers, round after round, so all wait for a block
//   that is late. No try-lock: a block that leaves out a round stops all others.
// Residency: of all blocks.
// Traffic: one addition per acquisition, one load per poll; all waiters poll the same word without
//   a pause.
// Reset: zero the state.
// Source: NVIDIA's CUTLASS, include/cutlass/barrier.h (revision 7107b05, 2026): wait_eq() and
//   arrive_inc() of its GenericBarrier, by which blocks add to one output in turn. Different: the
//   last block of a round adds a negative number, so that the word needs no round.
#pragma once

#include <finesync/device/atomic_ref.cuh>

#include <cstdint>

namespace finesync::mutex {

/// \tparam Poll, Pass orders of the two accesses, so that tests can weaken one.
template <memory_order Poll = memory_order::acquire, memory_order Pass = memory_order::release>
class cutlass_turn_lock {
 public:
  static constexpr bool takes_turns = true;

  struct state {
    cell<std::uint32_t> turn;
  };
  struct acquisition {};

  __device__ explicit cutlass_turn_lock(state& s) : turn_(s.turn) {}

  __device__ acquisition enqueue() { return {}; }
  __device__ bool try_enter(acquisition&) { return turn_.load(Poll) == blockIdx.x; }
  __device__ void wait(acquisition&) {}
  __device__ void leave(acquisition&) {
    turn_.fetch_add(blockIdx.x + 1 == gridDim.x ? 1 - gridDim.x : 1, Pass);
  }

 private:
  atomic_ref<std::uint32_t, scope::device> turn_;
};

}  // namespace finesync::mutex
