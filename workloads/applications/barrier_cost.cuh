// What the barriers of a kernel cost: their share of its time with stragglers, and without.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/applications/watched_barrier.cuh>
#include <workloads/common/outcomes.hpp>
#include <workloads/common/timing.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::applications {

/// Barriers back to back, without work.
template <class BarrierRef>
__global__ void __maxnreg__(32)
    run_barriers(BarrierRef barrier, unsigned number, watchdog_ref watchdog) {
  assume_one_dimension<BarrierRef>();
  auto participant = barrier.join(watchdog);
  while (number-- != 0 && participant.wait()) {
  }
}

/// Seconds of one barrier of this grid if no block is late; the time of the launch is not in it.
template <class Barrier>
double seconds_of_barrier(Barrier& barrier, const launch_shape& shape,
                          const watchdog_ref& watchdog) {
  constexpr unsigned few = 100;
  constexpr unsigned many = 1100;
  const auto seconds = [&](unsigned number) {
    return workload::median_seconds([] {},
                                    [&] {
                                      launch_cooperative(run_barriers<decltype(barrier.ref())>,
                                                         shape, barrier.ref(), number, watchdog);
                                    });
  };
  return (seconds(many) - seconds(few)) / (many - few);
}

/// The cycles of one watched run.
class barrier_watch {
 public:
  barrier_watch() : cycles_(2) { cycles_.fill_bytes(0); }

  template <class BarrierRef>
  watched_barrier<BarrierRef> around(const BarrierRef& barrier,
                                     const level_log_ref& levels = {}) const {
    return {barrier, {cycles_.device_data()[0], cycles_.device_data()[1]}, levels};
  }

  /// The share of the blocks' time that they were in barriers, 0 to 1. \throws bench::failed_run
  /// if they were in none.
  double share() const {
    const std::vector<std::uint64_t> seen = cycles_.to_host();
    workload::expect_plausible(
        0 < seen[0] && seen[0] <= seen[1],
        std::to_string(seen[0]) + " of " + std::to_string(seen[1]) + " cycles in barriers");
    return static_cast<double>(seen[0]) / static_cast<double>(seen[1]);
  }

 private:
  buffer<std::uint64_t> cycles_;
};

/// Counters of a row: `barriers` of a run, `barrier_ns`, what one costs if no block is late, and
/// `barrier_share`, the share of the blocks' time in barriers, late blocks included. GPU only: the
/// executor's clock means nothing. \tparam Overlaps whether work runs in the barrier; it then has
/// no share. \param start launches the kernel with this barrier, after `reset`. \throws
/// bench::failed_run unless `verify` is content with the watched run.
template <bool Overlaps, class Barrier, class Reset, class Start, class Verify>
bench::counters cost_of_barriers(Barrier& barrier, const launch_shape& shape,
                                 const watchdog_ref& watchdog, double barriers, Reset reset,
                                 Start start, Verify verify) {
  bench::counters seen{{"barriers", barriers}};
  if (current_gpu().simulated) return seen;
  if constexpr (!Overlaps) {
    const barrier_watch watch;
    reset();
    start(watch.around(barrier.ref()));
    bench::expect_ok(verify());
    seen["barrier_share"] = watch.share();
  }
  seen["barrier_ns"] = seconds_of_barrier(barrier, shape, watchdog) * 1e9;
  return seen;
}

}  // namespace finesync::applications
