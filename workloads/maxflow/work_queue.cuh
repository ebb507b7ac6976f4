// Nodes that wait for their turn: each block has a queue in its shared memory, and all blocks have
// a pool, which takes what the queues have no room for, and from which nodes are dealt out evenly.
//
//   push() ──> queue of the block, step k+1          each_of(): queue of step k, share of the pool
//      └─ full ──> pool, turn t+1 <── all queues, where a turn balances
//
// Participants: all threads of all blocks of a cooperative grid.
// Ordering: what a thread did before next_step() is visible behind it in the block, and before
//   open() in the grid. A turn counts by relaxed additions, which its barrier orders.
// Traffic: of a turn, an addition per block that has nodes, and a load.
// Reset: zero the totals before the kernel.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// The pool, in device memory. Trivially copyable, passed by value.
struct pool_ref {
  cell<std::uint32_t>* nodes;  ///< of this turn and of the next one
  std::uint32_t room;          ///< of either
  /// Of three turns each: nodes in the pool, and above 2^32 those in queues.
  cell<std::uint64_t>* totals;
};

/// Of a block's queue, where nothing says otherwise.
inline constexpr unsigned queue_room = 2048;

/// \tparam Room of a block's queue.
template <unsigned Room>
class work_queue {
 public:
  /// In shared memory.
  struct memory {
    cell<std::uint32_t> nodes[2][Room];
    cell<std::uint32_t> sizes[3];
    cell<std::uint32_t> place;
  };

  /// All threads of the block construct it together.
  __device__ work_queue(memory& shared, const pool_ref& pool) : shared_(shared), pool_(pool) {
    if (threadIdx.x == 0)
      for (unsigned i = 0; i < 3; ++i) shared_.sizes[i] = 0;
    __syncthreads();
  }

  /// Any thread: the node's turn is in the next step, or behind the next open().
  __device__ void push(std::uint32_t node) {
    const atomic_ref<std::uint32_t, scope::block> size(shared_.sizes[(step_ + 1) % 3]);
    const std::uint32_t place = size.fetch_add(1, memory_order::relaxed);
    if (place < Room)
      shared_.nodes[(step_ + 1) % 2][place] = node;
    else
      put_into_pool(
          static_cast<std::uint32_t>(total(turn_ + 1).fetch_add(1, memory_order::relaxed)), node);
  }

  /// Calls of this block's nodes every `stride`th, from `first` on.
  template <class Visit>
  __device__ void each_of(unsigned first, unsigned stride, Visit visit) const {
    for (std::uint32_t i = first; i < size_ + share_; i += stride) {
      if (i < size_)
        visit(kept(i));
      else
        visit(std::uint32_t{in_pool(turn_)[(i - size_) * gridDim.x + blockIdx.x]});
    }
  }

  /// All threads of the block, when each has called each_of().
  /// \returns whether the block has nodes for another step.
  __device__ bool next_step() {
    __syncthreads();
    ++step_;
    const std::uint32_t pushed = shared_.sizes[step_ % 3];
    size_ = pushed < Room ? pushed : Room;
    share_ = 0;
    if (threadIdx.x == 0) shared_.sizes[(step_ + 2) % 3] = 0;  // read by all before the barrier
    return size_ != 0;
  }

  /// All threads of all blocks, instead of next_step(): close() and then open(). Between the two a
  /// block knows its own nodes already, and may ask for what it will need of them.
  /// \param balance the same in all blocks: whether nodes are dealt out anew.
  __device__ void close(bool balance) {
    if (next_step()) tell(balance);
    if (blockIdx.x == 0 && threadIdx.x == 0)
      total(turn_ + 2).store(0, memory_order::relaxed);  // read by all before the last turn
    ++turn_;
  }
  /// Whether the block has kept so many nodes, and which one that is.
  __device__ bool has_kept(std::uint32_t place) const { return place < size_; }
  __device__ std::uint32_t kept(std::uint32_t place) const {
    return shared_.nodes[step_ % 2][place];
  }
  /// \returns false where the watchdog ended the wait.
  template <class Meeting>
  __device__ bool open(Meeting& meeting) {
    if (!meeting.wait()) return false;
    const std::uint64_t found = total(turn_).load(memory_order::relaxed);
    const auto pooled = static_cast<std::uint32_t>(found);
    lost_ = pooled > pool_.room;
    total_ = (found >> 32) + pooled;
    const std::uint32_t there = lost_ ? pool_.room : pooled;
    share_ = there > blockIdx.x ? (there - blockIdx.x - 1) / gridDim.x + 1 : 0;
    return true;
  }

  template <class Meeting>
  __device__ bool turn(Meeting& meeting, bool balance) {
    close(balance);
    return open(meeting);
  }

  /// After a turn, the same in all blocks: nodes that are waiting, and whether the pool was too
  /// small for some.
  __device__ std::uint64_t total() const { return total_; }
  __device__ bool has_lost() const { return lost_; }

 private:
  __device__ atomic_ref<std::uint64_t, scope::device> total(unsigned turn) const {
    return atomic_ref<std::uint64_t, scope::device>(pool_.totals[turn % 3]);
  }
  __device__ cell<std::uint32_t>* in_pool(unsigned turn) const {
    return pool_.nodes + turn % 2 * std::size_t{pool_.room};
  }
  __device__ void put_into_pool(std::uint32_t place, std::uint32_t node) const {
    if (place < pool_.room) in_pool(turn_ + 1)[place] = node;
  }

  /// Counts the block's queue, or moves it to the pool.
  __device__ void tell(bool balance) {
    const atomic_ref<std::uint64_t, scope::device> next = total(turn_ + 1);
    if (!balance) {
      if (threadIdx.x == 0) next.fetch_add(std::uint64_t{size_} << 32, memory_order::relaxed);
      return;
    }
    if (threadIdx.x == 0)
      shared_.place = static_cast<std::uint32_t>(next.fetch_add(size_, memory_order::relaxed));
    __syncthreads();
    const std::uint32_t first = shared_.place;
    for (std::uint32_t i = threadIdx.x; i < size_; i += blockDim.x)
      put_into_pool(first + i, shared_.nodes[step_ % 2][i]);
    size_ = 0;
  }

  memory& shared_;
  pool_ref pool_;
  unsigned step_ = 0;
  unsigned turn_ = 0;
  std::uint32_t size_ = 0;   ///< of the block's queue
  std::uint32_t share_ = 0;  ///< of the pool, the block's
  std::uint64_t total_ = 0;
  bool lost_ = false;
};

}  // namespace finesync::maxflow
