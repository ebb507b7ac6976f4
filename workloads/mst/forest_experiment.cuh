// The parts that all experiments of this program share: graph, forest, verification and watchdog.
#pragma once

#include "resident_graph.hpp"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace finesync::mst {

class forest_experiment : public bench::experiment {
 public:
  explicit forest_experiment(const run_config& config)
      : graph_(graph_of(config.problem)), chosen_(2 * std::size_t{graph_->vertices()}) {}

  void reset() final {
    chosen_.fill_bytes(0xff);  // no arc
    watchdog_.reset();
    begin();
  }
  void launch() final {
    if (graph_->arcs() != 0) start();
  }
  bench::outcome verify() final {
    stream().synchronize();
    if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up);
    arcs_.resize(chosen_.size());
    chosen_.copy_to(arcs_);
    if (const auto fault = graph_->fault_of(arcs_)) return {bench::status::wrong, *fault};
    weight_ = graph_->weight_of(arcs_);
    return workload::wrong_unless(weight_ == graph_->least_weight(),
                                  "a weight of " + std::to_string(weight_) + ", not " +
                                      std::to_string(graph_->least_weight()));
  }
  bench::exact_results computed() const final {
    return {{"forest_weight", static_cast<long long>(weight_)}};  // below 2^61
  }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape());
    workload::add_parameter(effective, "vertices", graph_->vertices());
    workload::add_parameter(effective, "arcs", graph_->arcs());
    return effective;
  }
  /// Edges of the graph.
  double operations() const final { return graph_->arcs() / 2.0; }

 protected:
  /// Restores the version's own state to the one that start() expects; not timed.
  virtual void begin() = 0;
  /// Queues the kernels and nothing else. The graph has arcs.
  virtual void start() = 0;
  /// Launch shape of the longest launch.
  virtual launch_shape shape() const = 0;

  const resident_graph& graph() const { return *graph_; }
  /// The forest's arcs: one place per vertex, then as many further places.
  cell<std::uint32_t>* chosen() const { return chosen_.device_data(); }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  std::shared_ptr<const resident_graph> graph_;
  buffer<std::uint32_t> chosen_;
  std::vector<std::uint32_t> arcs_;  ///< the forest's, kept because allocation is slow
  std::uint64_t weight_ = 0;         ///< theirs
  watchdog watchdog_;
};

}  // namespace finesync::mst
