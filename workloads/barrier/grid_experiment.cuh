// Shared by the experiments: grid, data, watchdog, and the verification of a run.
#pragma once

#include "litmus.cuh"
#include "relay.cuh"
#include "rounds.cuh"
#include "run_config.hpp"
#include "sm_neighbours.cuh"
#include "work.cuh"

#include <bench/experiment.hpp>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

namespace finesync::barrier {

class grid_experiment : public bench::experiment {
 public:
  grid_experiment(const run_config& config, const launch_shape& shape);

  void reset() override;
  bench::outcome verify() override;
  std::string unverified() const override;
  bench::counters measure() override;
  bench::parameters effective_parameters() const override;
  double operations() const override { return config_.rounds; }

 protected:
  /// Runs the litmus test over config().litmus.rounds rounds.
  virtual void start_litmus(const litmus& test) = 0;
  /// Runs the work of overlapped rounds without their barriers.
  virtual void start_without_barrier() {}

  const run_config& config() const { return config_; }
  const launch_shape& shape() const { return shape_; }
  watchdog_ref timeout() const { return watchdog_.ref(); }
  cell<std::uint32_t>* left_over() const { return left_over_.device_data(); }

  /// Calls start(work) with the configured work between grid barriers.
  template <class Start>
  void with_grid_work(Start start) const {
    if (config_.words_per_thread == 0)
      start(idle{});
    else
      start(grid_exchange(grid_words_.ref()));
  }
  local_exchange local_work() const {
    return {grid_words_.ref(), sm_words_.ref(), neighbours_.ref()};
  }

 private:
  bench::outcome verify_rounds();
  bench::outcome verify_litmus(bool skewed);
  double unsynchronized_seconds();

  run_config config_;
  launch_shape shape_;
  watchdog watchdog_;
  buffer<std::uint32_t> left_over_;
  relay_memory grid_words_;
  relay_memory sm_words_;
  sm_neighbours neighbours_;
  litmus_memory litmus_;
};

}  // namespace finesync::barrier
