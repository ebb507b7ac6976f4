// Kernels that run all tasks of a replay: which block runs which task, and when.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/taskgraph/device_graph.cuh>
#include <workloads/taskgraph/run_config.hpp>
#include <workloads/taskgraph/run_task.cuh>

#include <cstdint>

namespace finesync::taskgraph {

/// What all kernels take.
struct replay {
  graph_ref graph;
  std::uint32_t round;
  cell<std::uint32_t>* wrong;  ///< see task_runner
  watchdog_ref watchdog;

  __device__ task_runner runner() const { return {round, *wrong, watchdog}; }
};

/// Block b runs tasks b, b + blocks, ... of the order of layers. A task waits for tasks that come
/// before it in this order, and all blocks are resident: the first one that has not ended can run.
/// While a task waits, its block has the next one's accesses ready and reads the record after it.
template <class Outputs, unsigned Most>
__global__ void __launch_bounds__(most_threads_per_block, 1)
    run_static(replay all, typename Outputs::ref_type outputs) {
  assume_one_dimension();
  using task = typename Outputs::ref_type::template task<Most>;
  task_runner runner = all.runner();
  std::uint32_t number = blockIdx.x;
  if (number >= all.graph.tasks) return;
  task_record record = all.graph.task(number);
  task now(outputs, record);
  task_record following = all.graph.task(number + gridDim.x);
  for (; number < all.graph.tasks; number += gridDim.x) {
    const task next(outputs, following);
    const task_record after = all.graph.task(number + 2 * gridDim.x);
    if (!runner.run(now, record)) return;
    now = next;
    record = following;
    following = after;
  }
}

/// When a block draws its next task: ahead of the one that it runs, so that the draw costs no
/// time, or after it, so that no task is held by a block that is busy.
enum class draws { ahead, late };

/// Blocks draw tasks in the order of layers. \param tickets goes on from replay to replay.
template <class Outputs, unsigned Most, draws When>
__global__ void __launch_bounds__(most_threads_per_block, 1)
    run_drawn(replay all, typename Outputs::ref_type outputs, cell<std::uint32_t>* tickets) {
  assume_one_dimension();
  using task = typename Outputs::ref_type::template task<Most>;
  task_runner runner = all.runner();
  auto& shared = shared_storage<block_memory>();
  // In each earlier replay, each block drew one ticket too many.
  const std::uint32_t base = (all.round - 1) * (all.graph.tasks + gridDim.x);
  const auto draw_into = [&](unsigned turn) {
    if (threadIdx.x == 0)
      shared.next_tasks[turn] =
          atomic_ref<std::uint32_t, scope::device>(*tickets).fetch_add(1, memory_order::relaxed) -
          base;
  };
  draw_into(0);
  __syncthreads();
  for (unsigned turn = 0;; turn ^= 1) {
    const std::uint32_t number = shared.next_tasks[turn];
    if (number >= all.graph.tasks) return;
    const task_record record = all.graph.task(number);
    const task now(outputs, record);
    if (When == draws::ahead) draw_into(turn ^ 1);
    if (!runner.run(now, record)) return;
    if (When == draws::late) draw_into(turn ^ 1);
    __syncthreads();
  }
}

/// A layer at a time, and a barrier of all blocks after each but the last. What a block needs for
/// its next task is read before the barrier.
template <class Outputs, unsigned Most, class Barrier>
__global__ void __launch_bounds__(most_threads_per_block, 1)
    run_layers(replay all, typename Outputs::ref_type outputs, Barrier barrier) {
  assume_one_dimension<Barrier>();
  using task = typename Outputs::ref_type::template task<Most>;
  static_assert(grid_barrier<Barrier>);
  task_runner runner = all.runner();
  auto participant = barrier.join(all.watchdog);
  const std::uint32_t layers = all.graph.layers;
  std::uint32_t end = all.graph.layer_begins[1];
  std::uint32_t number = blockIdx.x;
  task_record following = all.graph.task(number);
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    const std::uint32_t next_end = all.graph.layer_begins[layer + 2 < layers ? layer + 2 : layers];
    if (number >= end) following = all.graph.task(end + blockIdx.x);  // none of this layer
    while (number < end) {
      const task_record record = following;
      number += gridDim.x;
      following = all.graph.task(number < end ? number : end + blockIdx.x);
      if (!runner.run(task(outputs, record), record)) return;
    }
    if (layer + 1 < layers && !participant.wait()) return;
    number = end + blockIdx.x;
    end = next_end;
  }
}

/// One layer, a block per task. \tparam Link joins the kernel to those around it: begin(), wait()
/// and end(), by all threads. \param round the replay, in memory, as a graph repeats its
/// parameters.
template <class Outputs, unsigned Most, class Link>
__global__ void __launch_bounds__(most_threads_per_block, 1)
    run_layer(replay all, typename Outputs::ref_type outputs, const cell<std::uint32_t>* round,
              std::uint32_t first) {
  assume_one_dimension();
  using task = typename Outputs::ref_type::template task<Most>;
  Link::begin();
  const task_record record = all.graph.task(first + blockIdx.x);
  const task now(outputs, record);
  Link::wait();
  all.round = *round;
  all.runner().run(now, record);
  Link::end();
}

/// A kernel of one thread.
template <class Link>
__global__ void begin_replay(cell<std::uint32_t>* round) {
  assume_one_dimension();
  Link::begin();
  Link::wait();
  ++*round;
  Link::end();
}

}  // namespace finesync::taskgraph
