// One task, by all threads of a block.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/taskgraph/device_graph.cuh>
#include <workloads/taskgraph/task_work.cuh>

#include <cstdint>

namespace finesync::taskgraph {

/// In a kernel's shared memory.
struct block_memory {
  cell<std::uint32_t> sums[2][32];    ///< by warp
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
        sums_(force_shared_address(&shared_storage<block_memory>())->sums) {}

  __device__ std::uint32_t round() const { return round_; }

  /// \param task prepared from `record`, see outputs.cuh. \returns false, to all threads, if the
  /// watchdog ended the wait.
  template <class Task>
  __device__ __forceinline__ bool run(const Task& task, const task_record& record) {
    std::uint32_t sum = 0;
    const bool in_time = task.take(round_, watchdog_, sum);
    if (!add_up<Task::waits_for_block>(sum, in_time, task.in_first_warp())) return false;
    const std::uint32_t value = round_ * record.work.own + sum;
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
  template <bool SameForAll>
  __device__ __forceinline__ bool add_up(std::uint32_t& sum, bool in_time, bool in_first_warp) {
    if (SameForAll && !in_time) return false;
    sum = lane_group::whole_warp().sum(sum);
    if (in_first_warp) return SameForAll || __syncthreads_or(!in_time) == 0;
    cell<std::uint32_t>* sums = sums_[turn_];
    turn_ ^= 1;  // the other ones may still be read
    if (lane_id() == 0) sums[threadIdx.x / 32] = sum;
    if (__syncthreads_or(!in_time) != 0) return false;
    const bool has_warp = lane_id() < blockDim.x / 32;
    sum = lane_group::whole_warp().sum(has_warp ? std::uint32_t{sums[lane_id()]} : 0u);
    return true;
  }

  std::uint32_t round_;
  cell<std::uint32_t>& wrong_;
  watchdog_ref watchdog_;
  cell<std::uint32_t> (*sums_)[32];
  unsigned turn_ = 0;
};

}  // namespace finesync::taskgraph
