// Nodes that wait for their turn: each block has a queue in its shared memory, and all blocks have
// a pool, from which nodes are dealt out evenly.
//
//|  push() ──> queue of the block, step k+1 ────────────────> each_of(): queue of step k,
//|     └─ full ──> pool, turn t+1 <── at a turn ── the rest              share of the pool, turn t
//
// Participants: all threads of all blocks of a cooperative grid.
// Ordering: what a thread did before next_step() is visible behind it in the block, and before
//   turn() in the grid. A turn counts by relaxed additions, which its barrier orders.
// Traffic: of a turn, an addition per block that has nodes, and two loads.
// Reset: zero totals and counts before the kernel.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/global_atomic_ref.cuh>
#include <workloads/maxflow/network/network.cuh>
#include <workloads/maxflow/network/rows.cuh>
#include <workloads/maxflow/network/team.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// The pool, in device memory. Trivially copyable, passed by value.
struct pool_ref {
  cell<std::uint32_t>* nodes;  ///< of this turn and of the next one
  std::uint32_t room;          ///< of either
  /// Of three turns each: nodes in the pool, and above 2^32 those that blocks have kept.
  cell<std::uint64_t>* totals;
  /// The same: what was counted, and above 2^32 how many nodes steps had no room for.
  cell<std::uint64_t>* counts;
};

/// Of a block's queue, where nothing says otherwise. Frontiers have a few nodes per block.
inline constexpr unsigned queue_room = 160;

/// \tparam Room of a block's queue.
template <unsigned Room>
class work_queue {
 public:
  struct nodes_with_rows {
    cell<row> rows[Room];
    cell<std::uint32_t> nodes[Room];
  };
  /// In shared memory.
  struct memory {
    nodes_with_rows sides[3];  ///< of this step, of the next one, and what is postponed
    cell<std::uint32_t> sizes[3];
    cell<std::uint32_t> later[2];  ///< how many are postponed in a turn
    cell<std::uint32_t> place;
  };

  /// All threads of the block construct it together.
  __device__ work_queue(memory& shared, const pool_ref& pool) : shared_(shared), pool_(pool) {
    if (threadIdx.x == 0) {
      for (unsigned i = 0; i < 3; ++i) shared_.sizes[i] = 0;
      for (unsigned i = 0; i < 2; ++i) shared_.later[i] = 0;
    }
    __syncthreads();
  }

  /// Any thread: the node's turn is in the next step, or behind the next turn().
  __device__ void push(std::uint32_t node) { place_of(node); }
  /// With its row, where each_of() is to bring it.
  __device__ void push(std::uint32_t node, const row& arcs) {
    put_row(next(), place_of(node), arcs);
  }
  /// The same by all lanes of the team that each_of() has called with it.
  __device__ void push_again(const queued_node& own) {
    if (team_rank() == 0) push(own.node, own.all);
  }
  /// Any thread: the node's turn is behind the next turn().
  __device__ void postpone(std::uint32_t node, const row& arcs) {
    const atomic_ref<std::uint32_t, scope::block> size(shared_.later[turn_ % 2]);
    const std::uint32_t place = size.fetch_add(1, memory_order::relaxed);
    if (place < Room)
      shared_.sides[later_].nodes[place] = node;
    else
      spill(node);
    put_row(shared_.sides[later_], place, arcs);
  }

  /// Any thread: adds to what all are told behind the next turn().
  __device__ void count(std::uint32_t number) const { counts(turn_ + 1).fetch_add(number); }

  /// Calls of this block's nodes every `stride`th, from `first` on.
  template <class Visit>
  __device__ void each_of(unsigned first, unsigned stride, Visit visit) const {
    for (std::uint32_t i = first; i < size_ + share_; i += stride) {
      if (i < size_)
        visit(std::uint32_t{now().nodes[i]});
      else
        visit(std::uint32_t{dealt(i - size_)});
    }
  }
  /// Teams take all nodes, which were pushed with their rows.
  template <class Visit>
  __device__ void each_of(const network_ref& net, Visit visit) const {
    for (std::uint32_t i = team_of_block(); i < size_ + share_; i += teams_of_block()) {
      std::uint32_t node = 0;
      row all;
      if (i < size_) {
        node = now().nodes[i];
        all = now().rows[i];
      } else {
        node = dealt(i - size_);
        all = net.row_of(node);
      }
      visit(hold(net, node, all));
    }
  }

  /// All threads of the block, when each has called each_of().
  /// \returns whether the block has nodes for another step.
  __device__ bool next_step() {
    __syncthreads();
    ++step_;
    swap(now_, next_);
    const std::uint32_t pushed = shared_.sizes[step_ % 3];
    size_ = pushed < Room ? pushed : Room;
    share_ = 0;
    if (threadIdx.x == 0) shared_.sizes[(step_ + 2) % 3] = 0;  // read by all before the barrier
    return size_ != 0;
  }

  /// All threads of all blocks, instead of next_step(): deals out anew what is left.
  /// \param most_kept blocks that have no more nodes keep them, with their rows: a step takes no
  /// longer for as many nodes as there are teams.
  /// \returns false where the watchdog ended the wait.
  template <class Participant>
  __device__ bool turn(Participant& participant, unsigned most_kept = 0) {
    next_step();
    const std::uint32_t postponed = shared_.later[turn_ % 2];
    std::uint32_t later = postponed < Room ? postponed : Room;
    if (size_ == 0) {
      swap(now_, later_);
      size_ = later;
      later = 0;
    }
    const std::uint32_t dealt = size_ > most_kept ? size_ : 0;
    size_ -= dealt;
    if (dealt + later != 0) hand_over(dealt, later);
    if (threadIdx.x == 0) {
      if (size_ != 0) total(turn_ + 1).fetch_add(std::uint64_t{size_} << 32);
      if (blockIdx.x == 0) {  // read by all before the last turn
        total(turn_ + 2).store(0);
        counts(turn_ + 2).store(0);
      }
      shared_.later[(turn_ + 1) % 2] = 0;  // the same
    }
    ++turn_;
    if (!participant.wait()) return false;
    const std::uint64_t found = total(turn_).load();
    counted_ = counts(turn_).load();
    const auto pooled = static_cast<std::uint32_t>(found);
    total_ = pooled + static_cast<std::uint32_t>(found >> 32);
    lost_ = pooled > pool_.room;
    const std::uint32_t there = lost_ ? pool_.room : pooled;
    share_ = there > blockIdx.x ? (there - blockIdx.x - 1) / gridDim.x + 1 : 0;
    return true;
  }

  /// After a turn, the same in all blocks: nodes that are waiting, and whether the pool was too
  /// small for some.
  __device__ std::uint32_t total() const { return total_; }
  __device__ bool has_lost() const { return lost_; }
  /// The sum of what was counted, and whether steps had no room for some nodes of theirs.
  __device__ std::uint32_t counted() const { return static_cast<std::uint32_t>(counted_); }
  __device__ bool has_spilled() const { return counted_ >> 32 != 0; }

  /// All threads of all blocks, behind a turn: nobody takes what waits.
  __device__ void drop() {
    size_ = 0;
    share_ = 0;
  }

 private:
  __device__ global_atomic_ref total(unsigned turn) const {
    return global_atomic_ref(pool_.totals[turn % 3]);
  }
  __device__ global_atomic_ref counts(unsigned turn) const {
    return global_atomic_ref(pool_.counts[turn % 3]);
  }
  /// In the pool, for so many.
  __device__ std::uint32_t places(std::uint32_t nodes) const {
    return static_cast<std::uint32_t>(total(turn_ + 1).fetch_add(nodes));
  }
  __device__ cell<std::uint32_t>* in_pool(unsigned turn) const {
    return pool_.nodes + turn % 2 * std::size_t{pool_.room};
  }
  __device__ void put_into_pool(std::uint32_t place, std::uint32_t node) const {
    if (place < pool_.room) in_pool(turn_ + 1)[place] = node;
  }
  __device__ void spill(std::uint32_t node) const { put_into_pool(places(1), node); }
  /// Of the block's share of the pool.
  __device__ std::uint32_t dealt(std::uint32_t number) const {
    return in_pool(turn_)[number * gridDim.x + blockIdx.x];
  }

  __device__ nodes_with_rows& now() const { return shared_.sides[now_]; }
  __device__ nodes_with_rows& next() const { return shared_.sides[next_]; }
  __device__ static void swap(unsigned& a, unsigned& b) {
    const unsigned was = a;
    a = b;
    b = was;
  }
  __device__ static void put_row(nodes_with_rows& to, std::uint32_t place, const row& arcs) {
    if (place < Room) to.rows[place] = arcs;
  }
  /// In the queue of the next step; Room or more for a place in the pool.
  __device__ std::uint32_t place_of(std::uint32_t node) {
    const atomic_ref<std::uint32_t, scope::block> size(shared_.sizes[(step_ + 1) % 3]);
    const std::uint32_t place = size.fetch_add(1, memory_order::relaxed);
    if (place < Room) {
      next().nodes[place] = node;
    } else {
      spill(node);
      counts(turn_ + 1).fetch_add(std::uint64_t{1} << 32);
    }
    return place;
  }

  /// Moves so many nodes of the block's queue to the pool, and of what was postponed.
  __device__ void hand_over(std::uint32_t queued, std::uint32_t later) {
    if (threadIdx.x == 0) shared_.place = places(queued + later);
    __syncthreads();
    const std::uint32_t first = shared_.place;
    for (std::uint32_t i = threadIdx.x; i < queued; i += blockDim.x)
      put_into_pool(first + i, now().nodes[i]);
    for (std::uint32_t i = threadIdx.x; i < later; i += blockDim.x)
      put_into_pool(first + queued + i, shared_.sides[later_].nodes[i]);
  }

  memory& shared_;
  pool_ref pool_;
  unsigned step_ = 0;
  unsigned now_ = 0;  ///< these three are sides of the memory
  unsigned next_ = 1;
  unsigned later_ = 2;
  unsigned turn_ = 0;
  std::uint32_t size_ = 0;   ///< of the block's queue
  std::uint32_t share_ = 0;  ///< of the pool, the block's
  std::uint32_t total_ = 0;
  std::uint64_t counted_ = 0;
  bool lost_ = false;
};

}  // namespace finesync::maxflow
