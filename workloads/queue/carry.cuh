// The kernels: blocks that carry numbered items through a queue.
#pragma once

#include "carried_items.hpp"
#include "items.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/queues/ring_queue.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync::queue {

/// What the blocks of a launch do.
struct roles {
  unsigned pushing;      ///< blocks, the first of the grid
  unsigned popping;      ///< blocks, the last of the grid
  unsigned push_rounds;  ///< places of each pushing thread
  unsigned pop_rounds;   ///< places of each popping thread; 0: until the queue is closed
};

/// Shared memory before that of the queue.
struct tickets_of_block {
  block_tickets pushing;
  block_tickets popping;
};
inline constexpr std::size_t shared_before_queue = 128;
static_assert(sizeof(tickets_of_block) <= shared_before_queue);

/// One asker, by the whole warp or by the whole block.
template <bool ByBlock>
using asker_of = std::conditional_t<ByBlock, by_block, by_warp>;

template <bool ByBlock>
__device__ asker_of<ByBlock> make_asker(block_tickets& shared) {
  if constexpr (ByBlock)
    return by_block(shared);
  else
    return by_warp::all();
}

/// Pushes and pops of one thread.
template <unsigned Items, class Queue>
class carrier {
 public:
  __device__ carrier(const Queue& queue, const carried_items_ref& seen, unsigned rounds,
                     const watchdog_ref& watchdog)
      : queue_(queue),
        seen_(seen),
        next_((blockIdx.x * blockDim.x + threadIdx.x) * rounds * Items),
        watchdog_(watchdog) {}

  /// \returns false if the watchdog ended the wait, or for a thread of the block did.
  template <class Asker>
  __device__ __forceinline__ bool push(Asker& asker) {
    auto place = queue_.template reserve_push<Items>(asker);
    if (!place.held()) return false;
    item items[Items];
    for (unsigned k = 0; k < Items; ++k) items[k] = item::of(next_ + k);
    next_ += Items;
    if (queue_.put(place, items, watchdog_)) return true;
    asker.leave();
    return false;
  }

  /// \returns false if the queue is closed, or as push().
  template <class Asker>
  __device__ __forceinline__ bool pop(Asker& asker) {
    auto place = queue_.template reserve_pop<Items>(asker);
    if (!place.held()) return false;
    const auto got = queue_.take(place, watchdog_);
    for (unsigned k = 0; k < Items; ++k) {
      if (!got.has(k)) continue;
      ++mine_.popped;
      mine_.sum += got.item[k].number;
      if (!got.item[k].right()) ++mine_.wrong;
      if (seen_.tickets != nullptr) trace(got.item[k].number, got.ticket[k]);
    }
    if (got.how == taking::complete) return true;
    asker.leave();
    return false;
  }

  __device__ void report() const {
    seen_.of_threads[blockIdx.x * blockDim.x + threadIdx.x] = mine_;
  }

 private:
  using item = typename Queue::item_type;

  __device__ void trace(std::uint32_t number, std::uint64_t ticket) {
    if (number >= seen_.traced ||
        atomic_ref<std::uint32_t, scope::device>(seen_.tickets[number])
                .exchange(static_cast<std::uint32_t>(ticket) + 1, memory_order::relaxed) != 0)
      ++mine_.wrong;
  }

  const Queue& queue_;
  const carried_items_ref& seen_;
  std::uint32_t next_;
  const watchdog_ref& watchdog_;
  items_of_thread mine_ = {};
};

template <unsigned Items, bool ByBlock, class Queue>
__global__ void __launch_bounds__(1024)
    carry(Queue everybodys, roles blocks, carried_items_ref seen, watchdog_ref watchdog) {
  assume_one_dimension();
  const Queue queue = everybodys.join(shared_bytes() + shared_before_queue);
  auto& shared = *reinterpret_cast<tickets_of_block*>(shared_bytes());
  auto pushing = make_asker<ByBlock>(shared.pushing);
  auto popping = make_asker<ByBlock>(shared.popping);
  carrier<Items, Queue> mine(queue, seen, blocks.push_rounds, watchdog);
  const bool pushes = blockIdx.x < blocks.pushing;
  const bool pops = blockIdx.x >= gridDim.x - blocks.popping;
  if (pushes && pops) {
    for (unsigned i = 0; i < blocks.push_rounds; ++i)
      if (!mine.push(pushing) || !mine.pop(popping)) break;
  } else if (pushes) {
    for (unsigned i = 0; i < blocks.push_rounds; ++i)
      if (!mine.push(pushing)) break;
    if (blocks.pop_rounds == 0 && lane_id() == 0) queue.leave(blocks.pushing * (blockDim.x / 32));
  } else {
    for (unsigned i = 0; blocks.pop_rounds == 0 || i < blocks.pop_rounds; ++i)
      if (!mine.pop(popping)) break;
  }
  mine.report();
  watchdog.report_done();
}

/// One thread each of the first two blocks: block 0 sends an item by the first queue and waits for
/// it at the second. \param sent of block 0, the items that came back.
template <bool Ahead, class Queue>
__global__ void ping(Queue there, Queue back, unsigned rounds, carried_items_ref seen,
                     watchdog_ref watchdog) {
  assume_one_dimension();
  if (blockIdx.x > 1) return;
  const std::size_t own = shared_before_queue + there.shared_bytes();
  const Queue in = (blockIdx.x == 0 ? back : there).join(shared_bytes() + shared_before_queue);
  const Queue out = (blockIdx.x == 0 ? there : back).join(shared_bytes() + own);
  using item = typename Queue::item_type;
  const by_warp one = by_warp::where(lane_id() == 0);
  items_of_thread mine = {};
  typename Queue::template push_place<1> place;
  const auto reserve = [&] {
    place = out.template reserve_push<1>(one);
    if constexpr (Ahead) out.look_ahead(place);
  };
  const auto push = [&](const item& sent) {
    if constexpr (!Ahead) reserve();
    const item items[1] = {sent};
    const bool done = out.put(place, items, watchdog);
    if constexpr (Ahead) reserve();
    return done;
  };
  const auto pop = [&](item& came) {
    auto at = in.reserve_pop(one);
    const auto got = in.take(at, watchdog);
    came = got.item[0];
    return got.how == taking::complete;
  };
  if constexpr (Ahead) reserve();
  for (unsigned i = 0; i < rounds; ++i) {
    item came = {};
    if (blockIdx.x == 0) {
      if (!push(item::of(i)) || !pop(came)) break;
    } else {
      if (!pop(came) || !push(came)) break;
    }
    if (lane_id() != 0) continue;
    ++mine.popped;
    mine.sum += came.number;
    if (!came.right() || came.number != i) ++mine.wrong;
  }
  if (blockIdx.x == 0) seen.of_threads[threadIdx.x] = mine;
  watchdog.report_done();
}

}  // namespace finesync::queue
