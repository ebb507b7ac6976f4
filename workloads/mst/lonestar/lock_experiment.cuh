// LonestarGPU's algorithm with a lock for each component.
#pragma once

#include "lonestar_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/common/grid.cuh>

#include <cstdint>

namespace finesync::mst {

template <class Lock, class Observer>
__global__ void propose_under_locks(lonestar_run run, level_lists lists, std::uint32_t level,
                                    lock_table_ref<Lock> locks, watchdog_ref watchdog,
                                    Observer observer) {
  assume_one_dimension();
  propose_arcs(run, lists, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x,
               [&](std::uint32_t component, const proposed_arc& proposed) {
                 observer.begin(component);
                 return run_exclusive(
                     locks[component],
                     [&] { run.lightest.keep_lighter(component, level, proposed); },
                     watchdog.watching(component), observer);
               });
  observer.finish();
}

template <class Lock>
class lonestar_lock_experiment final : public lonestar_experiment {
 public:
  explicit lonestar_lock_experiment(const run_config& config)
      : lonestar_experiment(config),
        shape_(workload::grid_for(config, 0, timed, watched)),
        locks_(graph().vertices(), lock_layout::packed) {}

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<Lock>(lonestar_experiment::effective_parameters());
  }

 protected:
  void begin() override {
    lonestar_experiment::begin();
    locks_.reset();
  }
  void start_proposals(const lonestar_run& run, const level_lists& lists,
                       std::uint32_t level) override {
    if (observed())
      launch_cooperative(watched, shape_, run, lists, level, locks_.ref(), timeout(),
                         observed()->probe());
    else
      launch_cooperative(timed, shape_, run, lists, level, locks_.ref(), timeout(), no_observer{});
  }
  launch_shape shape() const override { return shape_; }

 private:
  static constexpr auto* timed = propose_under_locks<Lock, no_observer>;
  static constexpr auto* watched = propose_under_locks<Lock, workload::contention_observer>;

  launch_shape shape_;
  lock_table<Lock> locks_;
};

}  // namespace finesync::mst
