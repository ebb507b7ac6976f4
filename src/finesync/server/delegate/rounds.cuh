// Sections over two data of one block, in rounds: in each, every thread may bid for the two data
// that its section needs; who gets both runs it, the others bid again. It takes no lock and no
// read-modify-write: a bid is a store of one's number, and the last one stands.
//
//   bid       each thread: its number into the bids of both data
//   ──────────────── barrier of the block ────────────────
//   run       each thread: are both bids still its own? then the section, with plain accesses
//   bid ...   the next round, in the other of two sets of bids
//
// Participants: all threads of a block; those without a section bid for nothing.
// Scope: block.
// Ordering: who wins a datum sees what its winners of earlier rounds wrote, by the barriers.
// Progress: a datum has exactly one winner, but a thread needs two, and all may lose: who has lost
//   twice sits out rounds by chance, more of them with each bid that is lost, so that every pattern
//   of losers ends. Lower data are bid for first, so that of the lanes of one warp that want the
//   same two one has both. Not fair.
// Why one barrier a round is enough: a bid that stands at a barrier stays until its own thread has
//   looked, or the bids of the next round cover it, which nobody makes out of turn for his own.
//   These would spoil wins: so two sets take turns, and the bids of a set are read before the
//   barrier that is passed before they are written again.
// Traffic: per bid two stores and two loads in shared memory. Several data may share a bid: then
//   they have one winner.
// Reset: none: a bid is written by all who will read it.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// A thread's view of the bids of its block.
class bidder {
 public:
  /// \param bids of each of the two sets; a power of two.
  __host__ __device__ static constexpr std::size_t shared_bytes(unsigned bids) {
    return std::size_t{2} * bids * sizeof(std::uint32_t);
  }

  /// \param bids, shared as in shared_bytes().
  __device__ bidder(unsigned bids, unsigned char* shared)
      : bids_(reinterpret_cast<cell<std::uint32_t>*>(shared)),
        mask_(bids - 1),
        chance_(threadIdx.x * 2654435761u) {}

  /// Before the barrier of a round. \param round its number; only its parity matters.
  __device__ void bid(unsigned round, std::uint32_t one, std::uint32_t other) {
    bids_now_ = round % 2 == 0 ? bids_ : bids_ + mask_ + 1;
    chance_ = chance_ * 1664525u + 1013904223u;
    bids_this_time_ = lost_ < 2 || chance_ >> (33 - lost_) == 0;
    if (!bids_this_time_) return;
    word(one < other ? one : other).store(threadIdx.x, memory_order::relaxed);
    word(one < other ? other : one).store(threadIdx.x, memory_order::relaxed);
  }

  /// Behind it, by who has bid: whether both data are this thread's until the next barrier.
  __device__ bool wins(std::uint32_t one, std::uint32_t other) {
    const std::uint32_t first = word(one).load(memory_order::relaxed);
    const std::uint32_t second = word(other).load(memory_order::relaxed);
    const bool won = bids_this_time_ && first == threadIdx.x && second == threadIdx.x;
    if (won)
      lost_ = 0;
    else if (bids_this_time_ && lost_ < most_lost)
      ++lost_;
    return won;
  }

 private:
  static constexpr unsigned most_lost = 4;

  __device__ atomic_ref<std::uint32_t, scope::block> word(std::uint32_t datum) const {
    return atomic_ref<std::uint32_t, scope::block>(bids_now_[datum & mask_]);
  }

  cell<std::uint32_t>* bids_;
  cell<std::uint32_t>* bids_now_ = nullptr;
  unsigned mask_;
  std::uint32_t chance_;
  bool bids_this_time_ = false;
  unsigned lost_ = 0;  ///< bids since it has won, up to most_lost
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
