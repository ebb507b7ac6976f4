// What all versions share: graph, ranks, watchdog and verification.
#pragma once

#include "rank_round.cuh"
#include "ranked_graph.hpp"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace finesync::pagerank {

class ranking_experiment : public bench::experiment {
 public:
  ranking_experiment(const run_config& config, const launch_shape& shape)
      : config_(config),
        shape_(shape),
        graph_(ranked_graph_of(config.input, config.order)),
        ranks_(graph_->vertices()),
        shares_(2 * std::size_t{graph_->vertices()}),
        unfinished_(1) {
    workload::expect_whole_warps(config.threads_per_block);
  }

  void reset() override {
    ranks_.fill_bytes(0xff);  // not a number
    shares_.fill_bytes(0xff);
    unfinished_.fill_bytes(0);
    watchdog_.reset();
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    const std::vector<float> ranks = ranks_.to_host();
    const std::vector<float> shares = shares_.to_host();
    const auto shares_of = [&](unsigned round) {
      return std::span(shares).subspan(round % 2 * ranks.size(), ranks.size());
    };
    const auto fault = graph_->fault_of({.damping = run_config::damping,
                                         .enough = config_.enough,
                                         .rounds = rounds(),
                                         .ranks = ranks,
                                         .shares = shares_of(rounds()),
                                         .shares_before = shares_of(rounds() - 1)},
                                        shape_.threads_per_block);
    if (fault) return {bench::status::wrong, *fault};
    return {};
  }

  bench::exact_results computed() const override { return {{"rounds", rounds()}}; }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    workload::add_parameter(effective, "vertices", graph_->vertices());
    workload::add_parameter(effective, "arcs", graph_->arcs());
    return effective;
  }
  /// Arcs followed.
  double operations() const override { return static_cast<double>(graph_->arcs()) * rounds(); }

  bench::counters measure() override {
    if (config_.order == numbering::given) return {};
    return {{"numbering_seconds", graph_->seconds_of_numbering()}};
  }

 protected:
  const launch_shape& shape() const { return shape_; }
  /// Of the last run: the one after the last that needed another.
  std::uint32_t rounds() const { return unfinished_.to_host()[0] + 1; }
  ranking_ref ranking() const {
    return {graph_->ref(),        config_.enough,        most_rounds(),
            ranks_.device_data(), shares_.device_data(), unfinished_.device_data()};
  }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  /// The sum of all residuals is at most vertices * (1 - damping) at first, and damping times as
  /// large in each round. One more round makes up for rounding.
  unsigned most_rounds() const {
    const double first_sum = graph_->vertices() * (1.0 - run_config::damping);
    if (first_sum <= config_.enough) return 1;
    const double rounds =
        std::log(config_.enough / first_sum) / std::log(double{run_config::damping});
    return static_cast<unsigned>(std::ceil(rounds)) + 1;
  }

  run_config config_;
  launch_shape shape_;
  std::shared_ptr<const ranked_graph> graph_;
  buffer<float> ranks_;
  buffer<float> shares_;  ///< of two rounds
  buffer<std::uint32_t> unfinished_;
  watchdog watchdog_;
};

}  // namespace finesync::pagerank
