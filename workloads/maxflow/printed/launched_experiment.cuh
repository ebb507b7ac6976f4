// Versions whose rounds are launches, as published: the end of a launch is the only barrier.
//
// ASPLOS'19 (section 4.1) launches rounds from the GPU. Here the host queues them without waiting
// in between: a launch costs as much, and its grid is fixed, as the host does not know how many
// nodes a round has.
//
// Global relabelling: He and Hong relabel on the CPU, with a copy of the network there and back;
// ASPLOS'19 does not say whether it does. Without it no mesh of the paper's sizes ends in hours. It
// is the search that all versions share (push_relabel/relabel.cuh), on the GPU: on the CPU it would
// take longer than all rounds.
#pragma once

#include "double_buffer.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/maxflow/flow_experiment.cuh>
#include <workloads/maxflow/push_relabel/flow_kernel.cuh>
#include <workloads/maxflow/run_config.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

class launched_experiment : public flow_experiment {
 public:
  void launch() final;

 protected:
  /// \param room nodes that a round's list holds; 0 for a version without lists.
  launched_experiment(const run_config& config, const launch_shape& shape, std::size_t room);

  void begin() override;
  /// Queues about `steps` steps of each node. \returns whether the list is empty and nothing lost.
  virtual bool work(std::uint32_t steps) = 0;

  /// The nodes with excess after a relabelling, or those of the next round.
  double_buffer& active_nodes() { return active_; }
  /// Each round that work() queues.
  void count_round() { ++rounds_; }

 private:
  /// What a relabelling has found.
  struct relabelled {
    bool in_time;
    std::uint32_t wanted;
    std::uint32_t levels;
    std::uint32_t active;
  };
  relabelled relabel_from(std::uint32_t root, std::uint32_t last_levels, bool ran_dry);
  /// \returns false if the watchdog ended a wait, or the run takes longer than it allows.
  bool bring_excess_to(std::uint32_t root);
  bench::outcome verify_launches(const progress& reported) const final;

  pace pace_;
  launch_shape search_shape_;
  double_buffer active_;
  buffer<std::uint32_t> pool_;
  buffer<std::uint64_t> totals_{3};
  buffer<std::uint64_t> counts_{3};
  buffer<std::uint32_t> found_{3};
  autotuned_barrier barrier_;
  std::uint32_t rounds_ = 0;  ///< of the last run
  std::chrono::steady_clock::time_point began_;
  std::chrono::nanoseconds late_after_{0};  ///< 0 unless the run took too long
};

}  // namespace finesync::maxflow
