// A grid on each of several GPUs, started, timed and bounded as one run.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/launch.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <vector>

namespace finesync::workload {

/// The grid of each GPU for a program's configuration. GPUs that share a device share its blocks
/// per SM. \param resident, \throws as grid_of().
template <class RunConfig>
launch_shape grid_of_each(const RunConfig& config, const peers& all, unsigned resident) {
  launch_shape shape = grid_of(config, resident);
  shape.blocks = std::max(1u, shape.blocks / all.grids_beside(all.first()));
  return shape;
}

class gpus_launch {
 public:
  gpus_launch(peers all, const launch_shape& shape);
  gpus_launch(const gpus_launch&) = delete;
  gpus_launch& operator=(const gpus_launch&) = delete;

  const peers& all() const { return all_; }
  const launch_shape& shape() const { return shape_; }
  const gpus_watchdog& timeouts() const { return timeouts_; }
  watchdog_ref timeout(unsigned me) const { return timeouts_.ref(me); }

  /// Restores the watchdogs. Waits for all GPUs.
  void reset();

  /// Queues work on all GPUs, after what is queued in the default stream. It ends in
  /// timed_stream(): the harness takes the time there. \param queue_work queues it.
  template <class QueueWork>
  void timed(const QueueWork& queue_work) const {
    join_streams(before_);
    queue_work();
    join_in_first();
  }
  const stream* timed_stream() const { return &all_.streams().front(); }
  /// The same with a grid of the shape on each GPU.
  template <class Kernel, class ArgumentsOf>
  void start(Kernel* kernel, const ArgumentsOf& arguments_of) const {
    timed([&] { launch_together(all_, kernel, shape_, arguments_of); });
  }

  /// Waits for the grids. \returns a timeout that says who waited for whom, or ok.
  bench::outcome ending() const;

  /// Of a row: the grid of each GPU, and the number of different devices.
  bench::parameters effective_parameters() const;

 private:
  /// Makes the first GPU's stream wait for the others when its own work has ended. Were another
  /// stream to wait all the time, fences of system scope would be slower now and then: with the
  /// default stream, barriers of two H200s took 2.4 us in every second experiment, and 2.0 in the
  /// others.
  void join_in_first() const;

  peers all_;
  launch_shape shape_;
  std::vector<stream> before_;  ///< the default stream, and those of this process's GPUs
  gpus_watchdog timeouts_;
};

}  // namespace finesync::workload
