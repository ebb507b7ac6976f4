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
        source_(graph_->source_of(config.source)),
        distances_(graph_->vertices()),
        rounds_(2) {}

  void reset() override {
    distances_.fill_bytes(0xff);  // unreached
    rounds_.fill_bytes(0);
    watchdog_.reset();
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    found_.resize(distances_.size());
    distances_.copy_to(found_);
    if (const auto fault = graph_->fault_of(source_, found_)) return {bench::status::wrong, *fault};
    reached_ = graph_->reached(found_);
    if (const auto fault = fault_of_rounds()) return {bench::status::wrong, *fault};
    return {};
  }

  bench::exact_results computed() const override {
    return {{"rounds", rounds()},
            {"reached_vertices", reached_.vertices},
            {"reached_arcs", reached_.arcs}};
  }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape());
    workload::add_parameter(effective, "vertices", graph_->vertices());
    workload::add_parameter(effective, "arcs", graph_->arcs());
    workload::add_parameter(effective, "source", graph_->number_of(source_));
    return effective;
  }
  /// Arcs of the vertices that the last run has reached.
  double operations() const override { return reached_.arcs; }

 protected:
  virtual launch_shape shape() const = 0;
  /// Why the rounds that the kernel reports cannot be those of the search.
  std::optional<std::string> fault_of_rounds() const {
    const std::vector<std::uint32_t> reported = rounds_.to_host();
    if (reported[0] == reported[1] && reported[0] >= reached_.rounds) return {};
    return std::to_string(reported[0]) + " rounds by one thread and " +
           std::to_string(reported[1]) + " by another are not those of a search that needs " +
           std::to_string(reached_.rounds);
  }

  const resident_graph& graph() const { return *graph_; }
  std::uint32_t source() const { return source_; }
  cell<std::uint32_t>* distances() const { return distances_.device_data(); }
  /// Where two threads of the kernel write the number of its rounds.
  cell<std::uint32_t>* rounds_words() const { return rounds_.device_data(); }
  /// Of the last run.
  std::uint32_t rounds() const { return rounds_.to_host()[0]; }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  std::shared_ptr<const resident_graph> graph_;
  std::uint32_t source_;
  buffer<std::uint32_t> distances_;
  buffer<std::uint32_t> rounds_;
  std::vector<std::uint32_t> found_;  ///< kept because allocation is slow
  resident_graph::extent reached_;    ///< by the last run
  watchdog watchdog_;
};

}  // namespace finesync::traversal
