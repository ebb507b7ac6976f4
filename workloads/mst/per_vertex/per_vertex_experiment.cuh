// The host side of per_vertex_rounds.cuh.
#pragma once

#include "per_vertex_rounds.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <workloads/common/grid.cuh>
#include <workloads/mst/forest_experiment.cuh>

#include <cstdint>
#include <numeric>
#include <vector>

namespace finesync::mst {

template <class Lock>
class per_vertex_experiment final : public forest_experiment {
 public:
  explicit per_vertex_experiment(const run_config& config)
      : forest_experiment(config),
        components_(graph().vertices()),
        lightest_(graph().vertices()),
        locks_(graph().vertices(), lock_layout::packed),
        joins_(3),
        unsettled_(1),
        shape_(shape_of(config)),
        barrier_(shape_) {}

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<Lock>(forest_experiment::effective_parameters());
  }

 protected:
  void begin() override {
    std::vector<std::uint32_t> own(graph().vertices());
    std::iota(own.begin(), own.end(), 0u);
    components_.copy_from(own);
    lightest_.reset();
    joins_.fill_bytes(0);
    unsettled_.fill_bytes(0);
    locks_.reset();
    barrier_.reset();
  }
  void start() override {
    launch_cooperative(run_by_vertices<Lock, autotuned_barrier::ref_type>, shape_,
                       vertex_run<Lock>{.graph = graph().ref(),
                                        .components = components_.device_data(),
                                        .chosen = chosen(),
                                        .lightest = lightest_.device_data(),
                                        .locks = locks_.ref(),
                                        .rounds_of_joins = joins_.device_data(),
                                        .unsettled = unsettled_.device_data()},
                       barrier_.ref(), timeout());
  }
  launch_shape shape() const override { return shape_; }

 private:
  static launch_shape shape_of(const run_config& config) {
    return workload::grid_for(config, 0, run_by_vertices<Lock, autotuned_barrier::ref_type>);
  }

  buffer<std::uint32_t> components_;
  zeroed_states<lightest_arc> lightest_;
  lock_table<Lock> locks_;
  buffer<std::uint32_t> joins_;
  buffer<std::uint32_t> unsettled_;
  launch_shape shape_;
  autotuned_barrier barrier_;
};

}  // namespace finesync::mst
