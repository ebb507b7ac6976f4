// The schedule without an order: a queue of tasks that may run. The last task that arrives at an
// event pushes all that wait for it.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/queues/slot_queue.cuh>
#include <workloads/taskgraph/schedules.cuh>

#include <cstdint>

namespace finesync::taskgraph {

/// Numbers of tasks. Ordered: who pops a task sees the outputs that the one who pushed it saw.
using ready_queue = ordered_slot_queue<std::uint32_t>;

/// What the blocks share.
struct ready_tasks {
  ready_queue::ref_type queue;
  cell<std::uint32_t>* arrived;  ///< by event; goes on from replay to replay

  /// Pushes all tasks of a list, by whole warps. \param warp, warps the caller among those that
  /// push. \returns false if the watchdog ended the wait.
  __device__ bool push(const graph_ref& graph, std::uint32_t list, unsigned warp, unsigned warps,
                       const watchdog_ref& watchdog) const {
    const consumer_list own = graph.consumers_of[list];
    for (std::uint32_t i = own.begin + warp * 32; i < own.end; i += warps * 32) {
      const bool has_one = i + lane_id() < own.end;
      auto place = queue.reserve_push(by_warp::where(has_one));
      const std::uint32_t items[1] = {has_one ? std::uint32_t{graph.consumers[i + lane_id()]} : 0u};
      if (!queue.put(place, items, watchdog)) return false;
    }
    return true;
  }

  /// By the lanes of a warp, after a barrier of the block that follows the output. Pushes the
  /// tasks that may run now.
  __device__ bool arrive(const graph_ref& graph, std::uint32_t event, std::uint32_t round,
                         const watchdog_ref& watchdog) const {
    std::uint32_t is_last = 0;
    if (lane_id() == 0) {
      const consumer_list waiters = graph.consumers_of[event];
      const task_links first = graph.links[graph.consumers[waiters.begin]];
      is_last = atomic_ref<std::uint32_t, scope::device>(arrived[event])
                        .fetch_add(1, memory_order::acq_rel) +
                    1 ==
                round * first.inputs;
    }
    if (__shfl_sync(0xffffffffu, is_last, 0) == 0) return true;
    lane_group::whole_warp().sync();  // the other lanes push what the first one has seen
    return push(graph, event, 0, 1, watchdog);
  }
};

/// Pops a task, by the lanes of a warp; a number that is none if there will be no more.
/// \returns false if the watchdog ended the wait.
__device__ inline bool pop(const ready_queue::ref_type& queue, const replay& all,
                           cell<std::uint32_t>& next) {
  auto place = queue.reserve_pop(by_warp::where(lane_id() == 0));
  // Each task is pushed once, so places from their number on stay empty.
  const bool is_past_end =
      __shfl_sync(0xffffffffu, std::uint32_t{place.ticket(0)}, 0) >= all.graph.tasks;
  if (is_past_end) {
    if (lane_id() == 0) next = all.graph.tasks;
    return true;
  }
  const auto got = queue.take(place, all.watchdog);
  if (lane_id() == 0) next = got.item[0];
  return got.how == taking::complete;
}

/// \param ready its queue is empty and has room for all tasks.
template <class Outputs, unsigned Most>
__global__ void __launch_bounds__(most_threads_per_block, 1)
    run_ready(replay all, typename Outputs::ref_type outputs, ready_tasks ready) {
  assume_one_dimension();
  using task = typename Outputs::ref_type::template task<Most>;
  task_runner runner = all.runner();
  cell<std::uint32_t>& next = shared_storage<block_memory>().next_tasks[0];
  const unsigned warp = threadIdx.x / 32;
  const unsigned popping_warp = blockDim.x > 32 ? 1 : 0;
  bool in_time =
      warp != 0 || ready.push(all.graph, all.graph.events, blockIdx.x, gridDim.x, all.watchdog);
  std::uint32_t arrives_at = no_event;
  for (;;) {
    if (warp == 0 && arrives_at != no_event)
      in_time = ready.arrive(all.graph, arrives_at, all.round, all.watchdog);
    if (warp == popping_warp) in_time = pop(ready.queue, all, next) && in_time;
    if (__syncthreads_or(!in_time) != 0) return;
    const std::uint32_t number = next;
    if (number >= all.graph.tasks) return;
    const task_record record = all.graph.task(number);
    arrives_at = record.links.arrives_at;
    if (!runner.run(task(outputs, record), record)) return;
    __syncthreads();
  }
}

}  // namespace finesync::taskgraph
