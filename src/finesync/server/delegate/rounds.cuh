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

  /// The data of the thread's next section. Lower ones are bid for first.
  __device__ void aim(std::uint32_t one, std::uint32_t other) {
    one &= mask_;
    other &= mask_;
    low_ = one < other ? one : other;
    high_ = one < other ? other : one;
    losses_ = 0;
  }

  /// Before the barrier of a round. \param round its number; only its parity matters. \param wants
  /// whether the thread has a section.
  __device__ void bid(unsigned round, bool wants) {
    bids_now_ = round % 2 == 0 ? bids_ : bids_ + mask_ + 1;
    chance_ = chance_ * 1664525u + 1013904223u;
    has_bid_ = wants && (chance_ & losses_ << 1) == 0;
    if (!has_bid_) return;
    word(low_).store(threadIdx.x, memory_order::relaxed);
    word(high_).store(threadIdx.x, memory_order::relaxed);
  }

  /// Behind it: whether the thread has bid, and both data are its own until the next barrier.
  __device__ bool wins() {
    const std::uint32_t low = word(low_).load(memory_order::relaxed);
    const std::uint32_t high = word(high_).load(memory_order::relaxed);
    if (has_bid_) losses_ = (losses_ >> 1 | 1u << 31) & most_losses;
    return has_bid_ && low == threadIdx.x && high == threadIdx.x;
  }

 private:
  static constexpr std::uint32_t most_losses = 0xf0000000;

  __device__ atomic_ref<std::uint32_t, scope::block> word(std::uint32_t bid) const {
    return atomic_ref<std::uint32_t, scope::block>(bids_now_[bid]);
  }

  cell<std::uint32_t>* bids_;
  cell<std::uint32_t>* bids_now_ = nullptr;
  unsigned mask_;
  std::uint32_t chance_;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = 0;
  std::uint32_t losses_ = 0;  ///< of the section: a bit from the highest on for each, up to four
  bool has_bid_ = false;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
