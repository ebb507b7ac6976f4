// The work of a block in a round, before the grid barrier that ends the round.
//
// A Work is passed to the kernel by value; each thread has its own.
//|  bool begin(participant, round)  before the first round; `participant` is the thread's part in the
//|                                  barrier
//|  bool operator()(round, participant)  one round
//|  void finish()                   after the last one
// Called by all threads of the block. If a call returns false, the watchdog ended a wait: leave the
// kernel.
#pragma once

#include "relay.cuh"
#include "sm_neighbours.cuh"

#include <cstdint>

namespace finesync::barrier {

/// No work: only barriers.
struct idle {
  template <class Participant>
  __device__ bool begin(Participant&, std::uint32_t) {
    return true;
  }
  template <class Participant>
  __device__ bool operator()(std::uint32_t, Participant&) {
    return true;
  }
  __device__ void finish() {}
};

/// Every round passes the words on to the next block of the grid.
class grid_exchange {
 public:
  explicit grid_exchange(const relay& words) : words_(words) {}

  template <class Participant>
  __device__ bool begin(Participant&, std::uint32_t round) {
    chunk_ = (blockIdx.x + round) % gridDim.x;
    return true;
  }
  template <class Participant>
  __device__ bool operator()(std::uint32_t round, Participant&) {
    words_.pass(chunk_, round);
    chunk_ = chunk_ + 1 == gridDim.x ? 0 : chunk_ + 1;
    return true;
  }
  __device__ void finish() { words_.finish(); }

 private:
  relay words_;
  unsigned chunk_ = 0;
};

/// grid_exchange, and then other words from block to block of an SM, twice: after the SM's barrier
/// and after the grid's (HeteroSync's local exchange).
class local_exchange {
 public:
  /// Steps of the SMs' words per round.
  static constexpr std::uint32_t steps_per_round = 2;

  local_exchange(const relay& grid_words, const relay& sm_words,
                 const sm_neighbours_ref& neighbours)
      : grid_(grid_words), words_(sm_words), neighbours_(neighbours) {}

  template <class Participant>
  __device__ bool begin(Participant& participant, std::uint32_t round) {
    if (threadIdx.x == 0) neighbours_.enlist();
    if (!participant.wait()) return false;
    count_ = neighbours_.size();
    next_ = neighbours_.rank();
    return grid_.begin(participant, round);
  }
  template <class Participant>
  __device__ bool operator()(std::uint32_t round, Participant& participant) {
    grid_(round, participant);
    step(steps_per_round * round);
    if (!participant.wait_on_sm()) return false;
    step(steps_per_round * round + 1);
    return true;
  }
  __device__ void finish() {
    grid_.finish();
    words_.finish();
  }

 private:
  __device__ void step(std::uint32_t number) {
    words_.pass(neighbours_.block(next_), number);
    next_ = next_ + 1 >= count_ ? 0 : next_ + 1;
  }

  grid_exchange grid_;
  relay words_;
  sm_neighbours_ref neighbours_;
  unsigned count_ = 0;
  unsigned next_ = 0;
};

}  // namespace finesync::barrier
