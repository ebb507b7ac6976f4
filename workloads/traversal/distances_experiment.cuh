// What all versions of a search share: graph, distances, watchdog and verification.
#pragma once

#include "resident_graph.hpp"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace finesync::traversal {

class distances_experiment : public bench::experiment {
 public:
  distances_experiment(const run_config& config, bool weighted)
      : graph_(graph_of(config.input, weighted)),
        source_(config.source.value_or(graph_->usual_source())),
        distances_(graph_->vertices()),
        rounds_(1) {
    graph_->expect_source(source_);
  }

  void reset() override {
    distances_.fill_bytes(0xff);  // unreached
    rounds_.fill_bytes(0);
    watchdog_.reset();
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    if (const auto fault = fault_of_run()) return {bench::status::wrong, *fault};
    found_.resize(distances_.size());
    distances_.copy_to(found_);
    if (const auto fault = graph_->fault_of(source_, found_)) return {bench::status::wrong, *fault};
    return {};
  }

  bench::exact_results computed() const override { return {{"rounds", rounds()}}; }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape());
    workload::add_parameter(effective, "vertices", graph_->vertices());
    workload::add_parameter(effective, "arcs", graph_->arcs());
    workload::add_parameter(effective, "source", source_);
    return effective;
  }
  /// Arcs of the graph.
  double operations() const override { return graph_->arcs(); }

 protected:
  virtual launch_shape shape() const = 0;
  /// What the version itself knows to have gone wrong.
  virtual std::optional<std::string> fault_of_run() const { return {}; }

  const resident_graph& graph() const { return *graph_; }
  std::uint32_t source() const { return source_; }
  cell<std::uint32_t>* distances() const { return distances_.device_data(); }
  /// Where the kernel writes the number of its rounds.
  cell<std::uint32_t>* rounds_word() const { return rounds_.device_data(); }
  /// Of the last run.
  std::uint32_t rounds() const { return rounds_.to_host()[0]; }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  std::shared_ptr<const resident_graph> graph_;
  std::uint32_t source_;
  buffer<std::uint32_t> distances_;
  buffer<std::uint32_t> rounds_;
  std::vector<std::uint32_t> found_;  ///< kept because allocation is slow
  watchdog watchdog_;
};

}  // namespace finesync::traversal
