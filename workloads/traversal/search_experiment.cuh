// What all versions of a search share: graph, distances, frontier, watchdog and verification.
#pragma once

#include "frontier.cuh"
#include "resident_graph.hpp"
#include "run_config.hpp"
#include "search.cuh"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace finesync::traversal {

class search_experiment : public bench::experiment {
 public:
  /// \param beside entries of a round for which the pool has room beside one for each vertex.
  search_experiment(const run_config& config, bool weighted, std::uint32_t beside = 0)
      : graph_(graph_of(config.input, weighted)),
        source_(config.source.value_or(graph_->usual_source())),
        distances_(graph_->vertices()),
        pool_capacity_(graph_->vertices() + graph_->arcs() / most_arcs + beside),
        pool_(frontier_ref::pool_parts * std::size_t{pool_capacity_}),
        counters_(frontier_ref::counter_words),
        lost_(1),
        rounds_(1) {
    if (source_ >= graph_->vertices())
      throw bench::infeasible("the graph has no vertex " + std::to_string(source_));
    pool_.fill_bytes(0);  // entries without arcs: what a broken barrier may show is in the graph
  }

  void reset() override {
    distances_.fill_bytes(0xff);  // unreached
    counters_.fill_bytes(0);
    lost_.fill_bytes(0);
    rounds_.fill_bytes(0);
    watchdog_.reset();
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    if (const std::uint32_t lost = lost_.to_host()[0]; lost != 0)
      return {bench::status::wrong, std::to_string(lost) + " entries found no room in the pool"};
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

  /// Of the last run.
  std::uint32_t rounds() const { return rounds_.to_host()[0]; }
  search_ref search() const {
    return {graph_->ref(),
            {pool_.device_data(), pool_capacity_, counters_.device_data(), lost_.device_data()},
            distances_.device_data(),
            source_,
            graph_->mean_weight(),
            rounds_.device_data()};
  }
  /// Entries in the pool for a round. Waits for the kernels before.
  std::uint32_t entries_in_pool(unsigned round) const {
    return counters_.to_host()[round % frontier_ref::pool_parts * line_words];
  }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  std::shared_ptr<const resident_graph> graph_;
  std::uint32_t source_;
  buffer<std::uint32_t> distances_;
  /// A level has each vertex once, in as many entries as its row has parts.
  std::uint32_t pool_capacity_;
  buffer<frontier_entry> pool_;
  buffer<std::uint32_t> counters_;
  buffer<std::uint32_t> lost_;
  buffer<std::uint32_t> rounds_;
  std::vector<std::uint32_t> found_;  ///< kept because allocation is slow
  watchdog watchdog_;
};

}  // namespace finesync::traversal
