// One task, by all threads of a block.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/ptx/computed_here.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/taskgraph/device_graph.cuh>
#include <workloads/taskgraph/task_work.cuh>

#include <cstdint>

namespace finesync::taskgraph {

/// What a warp contributes to a task.
struct alignas(8) warp_part {
  std::uint32_t sum;   ///< of the inputs
  std::uint32_t late;  ///< 1: the watchdog ended one of its waits
};

/// In a kernel's shared memory.
struct block_memory {
  cell<warp_part> parts[2][32];       ///< by warp
  cell<std::uint32_t> next_tasks[2];  ///< see the schedules that draw tasks
};

/// Runs tasks of one replay. All members are called by all threads of the block.
class task_runner {
 public:
  /// \param round the replay, from 1 on. \param wrong counts outputs that are.
  __device__ task_runner(std::uint32_t round, cell<std::uint32_t>& wrong,
                         const watchdog_ref& watchdog)
      : round_(round),
        wrong_(wrong),
        watchdog_(watchdog),
        parts_(force_shared_address(&shared_storage<block_memory>())->parts) {}

  __device__ std::uint32_t round() const { return round_; }

  /// \param task prepared from `record`, see outputs.cuh. \returns false, to all threads, if the
  /// watchdog ended the wait.
  template <class Task>
  __device__ __forceinline__ bool run(const Task& task, const task_record& record) {
    // What needs no input is computed before the wait: each cycle after it counts once a layer.
    const std::uint32_t own = computed_here(round_ * record.work.own);
    std::uint32_t sum = 0;
    const bool in_time = task.take(round_, watchdog_, sum);
    if (!add_up<Task::waits_for_block>(sum, in_time, task.in_first_warp())) return false;
    const std::uint32_t value = own + sum;
    spend(record.work.cycles);
    task.put(round_, value);
    task.arrive();
    if (threadIdx.x == 0 && value != round_ * record.work.right)
      atomic_ref<std::uint32_t, scope::device>(wrong_).fetch_add(1, memory_order::relaxed);
    return true;
  }

 private:
  /// The sum over all threads, and whether all were in time. \param in_first_warp whether only its
  /// threads have inputs and outputs; the sum is then theirs.
  ///
  /// Two barriers in two branches, since nvcc (CUDA 13.0) makes slow sums of one: it doubts that
  /// the lanes are together and checks it (BRA.DIV), which took .2 us a task on an H100.
  template <bool SameForAll>
  __device__ __forceinline__ bool add_up(std::uint32_t& sum, bool in_time, bool in_first_warp) {
    if (SameForAll && !in_time) return false;
    const lane_group warp = lane_group::whole_warp();
    sum = warp.sum(sum);
    if (SameForAll && in_first_warp) return true;
    cell<warp_part>* parts = parts_[turn_];
    turn_ ^= 1;  // the other ones may still be read
    const bool late = !SameForAll && warp.any(!in_time);
    if (in_first_warp) {
      if (threadIdx.x == 0) parts[0] = {0, late};
      __syncthreads();
      return threadIdx.x < 32 ? !late : static_cast<warp_part>(parts[0]).late == 0;
    }
    if (lane_id() == 0) parts[threadIdx.x / 32] = {sum, late};
    __syncthreads();
    const bool has_warp = lane_id() < blockDim.x / 32;
    const warp_part part = has_warp ? static_cast<warp_part>(parts[lane_id()]) : warp_part{0, 0};
    sum = warp.sum(part.sum);
    return SameForAll || !warp.any(part.late != 0);
  }

  std::uint32_t round_;
  cell<std::uint32_t>& wrong_;
  watchdog_ref watchdog_;
  cell<warp_part> (*parts_)[32];
  unsigned turn_ = 0;
};

}  // namespace finesync::taskgraph
