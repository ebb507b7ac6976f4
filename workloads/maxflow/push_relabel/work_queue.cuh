// Queued nodes: each block has a queue in its shared memory. All blocks share a pool, whose nodes
// are distributed evenly.
//
//|  push() ──> queue of the block, step k+1 ────────────────> each_of(): queue of step k,
//|     └─ full ──> pool, turn t+1 <── at a turn ── the rest              share of the pool, turn t
//
// Participants: all threads of all blocks of a cooperative grid.
// Ordering: a thread's writes before next_step() are visible after it in the block, those before
//   turn() in the grid. A turn counts by relaxed additions, which its barrier orders.
// Traffic: per turn, an addition for each block that has nodes, and two loads.
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
  std::uint32_t room;          ///< capacity for each of them
  /// For each of three turns: nodes in the pool, plus 2^32 times those that blocks keep.
  cell<std::uint64_t>* totals;
  /// For each of three turns: the sum of count(), plus 2^32 times the nodes that steps spilled.
  cell<std::uint64_t>* counts;
};

/// Default size of a block's queue. Frontiers have a few nodes per block.
inline constexpr unsigned queue_room = 160;
/// Nodes with long rows that a block visits as a whole in a step; teams visit the others.
inline constexpr unsigned most_long_rows = 32;

/// \tparam Room size of a block's queue.
template <unsigned Room>
class work_queue {
 public:
  struct nodes_with_rows {
    cell<row> rows[Room];
    cell<std::uint32_t> nodes[Room];
  };
  /// In shared memory.
  struct memory {
    nodes_with_rows sides[3];  ///< this step, the next one, and postponed nodes
    whole_block::memory of_block;
    cell<std::uint32_t> long_rows[most_long_rows];  ///< nodes of this step that the block visits
    cell<std::uint32_t> long_row_count;
    cell<std::uint32_t> sizes[3];
    cell<std::uint32_t> later[2];  ///< numbers of postponed nodes, per turn
    cell<std::uint32_t> place;
  };

  /// All threads of the block construct it together.
  __device__ work_queue(memory& shared, const pool_ref& pool) : shared_(shared), pool_(pool) {
    if (threadIdx.x == 0) {
      for (unsigned i = 0; i < 3; ++i) shared_.sizes[i] = 0;
      for (unsigned i = 0; i < 2; ++i) shared_.later[i] = 0;
      shared_.long_row_count = 0;
    }
    __syncthreads();
  }

  /// Any thread: queues the node for the next step, or for after the next turn().
  __device__ void push(std::uint32_t node) { place_of(node); }
  /// Also stores the row, for each_of().
  __device__ void push(std::uint32_t node, const row& arcs) {
    put_row(next(), place_of(node), arcs);
  }
  /// The same. All lanes that visit the node call it.
  template <class Lanes>
  __device__ void push_again(const Lanes& lanes, const queued_node& own) {
    if (lanes.is_leader()) push(own.node, own.all);
  }
  /// Any thread: queues the node for after the next turn().
  __device__ void postpone(std::uint32_t node, const row& arcs) {
    const atomic_ref<std::uint32_t, scope::block> size(shared_.later[turn_ % 2]);
    const std::uint32_t place = size.fetch_add(1, memory_order::relaxed);
    if (place < Room)
      shared_.sides[later_].nodes[place] = node;
    else
      spill(node);
    put_row(shared_.sides[later_], place, arcs);
  }

  /// Any thread: adds to the sum that all threads get after the next turn().
  __device__ void count(std::uint32_t number) const { counts(turn_ + 1).fetch_add(number); }

  /// Visits every `stride`th of this block's nodes, from `first`.
  template <class Visit>
  __device__ void each_of(unsigned first, unsigned stride, Visit visit) const {
    for (std::uint32_t i = first; i < size_ + share_; i += stride) {
      if (i < size_)
        visit(std::uint32_t{now().nodes[i]});
      else
        visit(std::uint32_t{dealt(i - size_)});
    }
  }
  /// Visits all nodes, which were pushed with their rows: first teams, then the whole block those
  /// with long rows. All threads of the block call it.
  /// \param visit called with the lanes and the node, by all lanes together.
  template <class Visit>
  __device__ void each_of(const network_ref& net, Visit visit) const {
    const team lanes;
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
      if (net.has_long_rows() && is_long(all) && put_aside(lanes, node)) continue;
      visit(lanes, hold(net, lanes, node, all));
    }
    if (net.has_long_rows()) each_long_row(net, visit);
  }

  /// All threads of the block call it after each_of().
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

  /// All threads of all blocks call it, instead of next_step(): redistributes the remaining nodes.
  /// \param max_kept a block with no more nodes keeps them, with their rows. A step takes the same
  /// time for up to as many nodes as there are teams.
  /// \returns false if the watchdog ended the wait.
  template <class Participant>
  __device__ bool turn(Participant& participant, unsigned max_kept = 0) {
    next_step();
    const std::uint32_t postponed = shared_.later[turn_ % 2];
    std::uint32_t later = postponed < Room ? postponed : Room;
    if (size_ == 0) {
      swap(now_, later_);
      size_ = later;
      later = 0;
    }
    const std::uint32_t dealt = size_ > max_kept ? size_ : 0;
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

  /// After a turn, the same in all blocks: number of queued nodes, and whether the pool overflowed.
  __device__ std::uint32_t total() const { return total_; }
  __device__ bool has_lost() const { return lost_; }
  /// The sum of count(), and whether steps had no room for some of their nodes.
  __device__ std::uint32_t counted() const { return static_cast<std::uint32_t>(counted_); }
  __device__ bool has_spilled() const { return counted_ >> 32 != 0; }

  /// All threads of all blocks call it after a turn: discards the queued nodes.
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
  /// Reserves this many places in the pool.
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
  /// A node of the block's share of the pool.
  __device__ std::uint32_t dealt(std::uint32_t number) const {
    return in_pool(turn_)[number * gridDim.x + blockIdx.x];
  }

  /// \returns false if there is no room. All lanes of a team call it.
  __device__ bool put_aside(const team& lanes, std::uint32_t node) const {
    std::uint32_t place = 0;
    if (lanes.is_leader())
      place = atomic_ref<std::uint32_t, scope::block>(shared_.long_row_count)
                  .fetch_add(1, memory_order::relaxed);
    place = lanes.of(0, place);
    if (place >= most_long_rows) return false;
    if (lanes.is_leader()) shared_.long_rows[place] = node;
    return true;
  }
  template <class Visit>
  __device__ void each_long_row(const network_ref& net, Visit visit) const {
    __syncthreads();
    const std::uint32_t put = shared_.long_row_count;
    if (put == 0) return;
    const whole_block lanes(shared_.of_block);
    for (std::uint32_t i = 0; i < put && i < most_long_rows; ++i) {
      const std::uint32_t node = shared_.long_rows[i];
      visit(lanes, hold(net, lanes, node, net.row_of(node)));
    }
    __syncthreads();
    if (threadIdx.x == 0) shared_.long_row_count = 0;  // the next step comes after a barrier
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
  /// Place in the queue of the next step; Room or more for a place in the pool.
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

  /// Moves nodes of the block's queue, and postponed nodes, to the pool.
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
  unsigned now_ = 0;  ///< these three are indices of sides
  unsigned next_ = 1;
  unsigned later_ = 2;
  unsigned turn_ = 0;
  std::uint32_t size_ = 0;   ///< nodes in the block's queue
  std::uint32_t share_ = 0;  ///< the block's share of the pool
  std::uint32_t total_ = 0;
  std::uint64_t counted_ = 0;
  bool lost_ = false;
};

}  // namespace finesync::maxflow
