// The kernel, and the experiment with any lock.
#pragma once

#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::tally {

template <class Lock>
__global__ void count(run_config config, cell<std::uint32_t>* counters, lock_table_ref<Lock> locks,
                      watchdog_ref watchdog) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < config.rounds; ++round) {
    const unsigned which = (me + round) % config.counters;
    const auto add = [&] { counters[which] = counters[which] + 1; };
    if (!run_exclusive(locks[which], add, watchdog)) return;
  }
}

template <class Lock>
class tally_experiment final : public bench::experiment {
 public:
  explicit tally_experiment(const run_config& config)
      : config_(config),
        shape_{.blocks = config.blocks, .threads_per_block = 64},
        counters_(config.counters),
        locks_(config.counters, lock_layout::packed,
               std::size_t{shape_.blocks} * shape_.threads_per_block) {}

  void reset() override {
    counters_.fill_bytes(0);
    locks_.reset();
    watchdog_.reset();
  }
  void launch() override {
    launch_cooperative(count<Lock>, shape_, config_, counters_.device_data(), locks_.ref(),
                       watchdog_.ref());
  }
  bench::outcome verify() override {
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    double found = 0;
    for (const std::uint32_t counter : counters_.to_host()) found += counter;
    return workload::wrong_unless(found == operations(), "a thread's addition is lost");
  }
  bench::parameters effective_parameters() const override {
    return workload::parameters_of(shape_);
  }
  double operations() const override {
    return double{1} * shape_.blocks * shape_.threads_per_block * config_.rounds;
  }

 private:
  run_config config_;
  launch_shape shape_;
  buffer<std::uint32_t> counters_;
  lock_table<Lock> locks_;
  watchdog watchdog_;
};

}  // namespace finesync::tally
