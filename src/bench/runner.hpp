// SPDX-License-Identifier: Apache-2.0
// Runs the repetitions of points: makes, warms up, measures, times and verifies experiments.
#pragma once

#include <bench/machine_interface.hpp>
#include <bench/primitive.hpp>
#include <bench/rows.hpp>
#include <bench/stop_signal.hpp>

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace finesync::bench {

/// Why this process can run no further point, and the status that it ends with.
struct dead_end {
  int exit_status;
  std::string why;
};

/// Keeps at most one experiment alive, from the first repetition of its point to the first of
/// another point.
class runner {
 public:
  /// The arguments must outlive the runner.
  /// \param monitor null if there is none
  runner(const std::vector<primitive>& primitives, const machine_interface& machine, bool simulated,
         const stop_signal& stop, gpu_monitor* monitor);

  /// One repetition: times and verifies, or reports why the point has no result. A sample during
  /// which the GPU was throttled is taken again after a pause, a few times per point.
  void repetition(benchmark::State& state, point_record& record);

  /// Seconds per item, for comparing points: the median of three verified runs after a warm-up.
  /// None when interrupted, or when the record's outcome is then not ok.
  std::optional<double> quick_cost(point_record& record);

  /// Destroys the living experiment.
  void release();

  /// None as long as further points can run. Otherwise later ones count as interrupted.
  const std::optional<dead_end>& end() const { return end_; }

 private:
  // Takes a step of a point, whose outcome becomes the record's.
  void attempt(point_record& record, const std::function<outcome()>& step);
  const primitive& primitive_of(const point_record& record) const;
  outcome make(point_record& record);
  outcome quick_runs(std::vector<double>& costs);
  outcome prepare(point_record& record);
  outcome timed_runs(benchmark::State& state, point_record& record);

  struct run_result {
    bench::outcome outcome;
    double seconds = 0;  // only when ok
    counters counted;
    gpu_state gpu;  // right after the launch
  };
  // `timed` runs the launch and returns its seconds.
  run_result verified_run(const std::function<double()>& timed);
  run_result unthrottled_run(point_record& record, const std::function<double()>& timed);
  double timed_launch();
  // Device memory that is in use; 0 if unknown.
  std::size_t memory_in_use() const;

  const std::vector<primitive>& primitives_;
  const machine_interface& machine_;
  const bool simulated_;
  const stop_signal& stop_;
  gpu_monitor* const monitor_;
  unsigned runs_ = 0;
  bool is_warm_ = false;             // the living experiment has run
  const std::size_t memory_before_;  // what was in use before the first experiment
  const point_record* live_point_ = nullptr;
  std::unique_ptr<experiment> live_;
  std::optional<dead_end> end_;
};

}  // namespace finesync::bench
