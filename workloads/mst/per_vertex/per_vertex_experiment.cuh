// The host's side of vertex_rounds.cuh.
#pragma once

#include "per_vertex_rounds.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <workloads/common/grid.cuh>
#include <workloads/mst/forest_experiment.cuh>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace finesync::mst {

template <class Lock>
class vertex_experiment final : public forest_experiment {
 public:
  explicit vertex_experiment(const setup& how)
      : forest_experiment(how),
        components_(graph().vertices()),
        lightest_(graph().vertices()),
        locks_(graph().vertices(), lock_spacing::packed),
        joins_(3),
        shape_(shape_of(how)),
        barrier_(shape_) {}

  bench::facts ran() const override {
    bench::facts ran = forest_experiment::ran();
    workload::add_facts_of<Lock>(ran);
    return ran;
  }

 protected:
  void begin() override {
    std::vector<std::uint32_t> own(graph().vertices());
    std::iota(own.begin(), own.end(), 0u);
    components_.copy_from(own);
    lightest_.reset();
    joins_.fill_bytes(0);
    locks_.reset();
    barrier_.reset();
  }
  void start() override {
    launch_cooperative(run_by_vertices<Lock, adaptive_barrier::handle>, shape_,
                       vertex_run<Lock>{.graph = graph().ref(),
                                        .components = components_.cells(),
                                        .chosen = chosen(),
                                        .lightest = lightest_.data(),
                                        .locks = locks_.ref(),
                                        .rounds_of_joins = joins_.cells()},
                       barrier_.ref(), timeout());
  }
  launch_shape shape() const override { return shape_; }

 private:
  static launch_shape shape_of(const setup& how) {
    return workload::grid_for(how, 0, run_by_vertices<Lock, adaptive_barrier::handle>);
  }

  buffer<std::uint32_t> components_;
  zeroed_states<lightest_arc> lightest_;
  lock_table<Lock> locks_;
  buffer<std::uint32_t> joins_;
  launch_shape shape_;
  adaptive_barrier barrier_;
};

}  // namespace finesync::mst
