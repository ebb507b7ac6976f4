// The experiment for any lock with the library's interface.
#pragma once

#include "compete.cuh"
#include "counted_words.hpp"
#include "without_lock.cuh"

#include <bench/experiment.hpp>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/observers/fairness.hpp>
#include <workloads/common/observers/wait_observer.cuh>
#include <workloads/common/outcomes.hpp>
#include <workloads/common/run_length.cuh>
#include <workloads/common/timing.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

namespace finesync::mutex {

/// Locks that every block has to acquire equally often. Every block has the same share; in a run of
/// fixed duration the first block to stop would stop the others.
template <class Lock>
concept takes_turns = requires {
  requires Lock::takes_turns;
};

template <class Lock, class Section>
class lock_experiment final : public bench::experiment {
 public:
  explicit lock_experiment(const run_config& config)
      : config_(config),
        shape_(grid_of(config)),
        words_(config, shape_.blocks),
        lock_(1, lock_layout::padded, std::size_t{shape_.blocks} * shape_.threads_per_block),
        no_lock_(1, lock_layout::padded) {}

  void reset() override {
    words_.reset();
    lock_.reset();
    watchdog_.reset();
  }

  void launch() override { start<Section>(all_rounds(), no_observer{}); }

  bench::outcome verify() override {
    bench::outcome ended = ending_of_rounds<Section>();
    if constexpr (std::is_empty_v<Section>) {
      if (!ended.ok()) return ended;
      reset();
      start<counting_section>(all_rounds(), no_observer{});
      ended = ending_of_rounds<counting_section>();
    }
    return ended;
  }
  std::string unverified() const override {
    return std::is_empty_v<Section>
               ? "exclusion, by a run with sections that count after each with empty ones"
               : "";
  }

  bench::counters measure() override {
    bench::counters seen;
    if (current_gpu().simulated) return seen;
    const double rest = workload::median_seconds(
        [&] { reset(); },
        [&] { launch_without_lock(config_, shape_, no_lock_, words_, watchdog_.ref()); });
    bench::expect_ok(words_.verify_rounds(config_.rounds));
    seen["unsynchronized_ns_per_operation"] = rest * 1e9 / operations();
    if constexpr (!takes_turns<Lock>) measure_fairness(seen);
    return seen;
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<Lock>(workload::parameters_of(shape_));
  }

  double operations() const override { return double{1} * shape_.blocks * config_.rounds; }

 private:
  /// The section of runs that show whether the lock excludes.
  using counting_section = std::conditional_t<std::is_empty_v<Section>, plain_counter, Section>;

  static constexpr std::size_t shared_bytes =
      has_block_storage<Lock> ? sizeof(block_lock_storage<Lock, 1>) : 0;

  void measure_fairness(bench::counters& seen) {
    reset();
    const workload::wait_record waits(shape_.blocks);
    start<Section>(workload::fairness_run, waits.probe());
    if (waits.report(ending<Section>(), words_.acquisitions(), seen))
      workload::report(workload::fairness_of(words_.acquisitions_by_block()), "acquisitions", seen);
  }

  workload::for_rounds all_rounds() const { return {config_.rounds}; }

  template <class Which>
  Which section() const {
    if constexpr (Which::whole_block) {
      return {words_.words(), config_.ldst};
    } else if constexpr (std::is_empty_v<Which>) {
      return {};
    } else {
      return {words_.words()};
    }
  }

  template <class Which, class RunLength, class Probe>
  void start(const RunLength& run_length, const Probe& probe) {
    launch_cooperative(compete<Lock, Which, RunLength, Probe>, shape_, lock_.ref(),
                       section<Which>(), words_.acquisitions_of_blocks(), run_length,
                       watchdog_.ref(), probe);
  }

  template <class Which>
  bench::outcome ending_of_rounds() {
    const bench::outcome ended = ending<Which>();
    return ended.ok() ? words_.verify_rounds(config_.rounds) : ended;
  }
  /// Of a run of any length.
  template <class Which>
  bench::outcome ending() {
    stream().synchronize();
    if (const auto ended = watchdog_.report())
      return workload::timed_out(*ended, words_.acquisitions());
    if constexpr (std::is_empty_v<Which>) return {};
    if constexpr (passes_value<Lock>) {
      launch_independent(unload<Lock>, {.blocks = 1, .threads_per_block = 1}, lock_.ref(),
                         words_.words());
      stream().synchronize();
    }
    return words_.verify_counts();
  }

  // All kernels must fit: observed runs use the timed run's grid.
  static unsigned resident_in(const run_config& config, unsigned cluster_blocks) {
    const launch_shape block{.threads_per_block = config.threads_per_block,
                             .shared_bytes = shared_bytes,
                             .cluster_blocks = cluster_blocks};
    return std::min(workload::resident_of_all(
                        block, compete<Lock, Section, workload::for_rounds, no_observer>,
                        compete<Lock, counting_section, workload::for_rounds, no_observer>,
                        compete<Lock, Section, workload::for_duration, workload::wait_observer>),
                    resident_without_lock(config, block));
  }

  static launch_shape grid_of(const run_config& config) {
    if constexpr (!has_block_storage<Lock>) {
      return workload::grid_of(config, resident_in(config, 1), shared_bytes);
    } else {
      if (config.cluster_blocks != 0) return grid_of_clusters(config, config.cluster_blocks);
      for (const unsigned cluster_blocks : {8u, 4u, 2u}) {
        const launch_shape shape = clusters_that_fit(config, cluster_blocks);
        if (is_enough(shape, config)) return shape;
      }
      return grid_of_clusters(config, 1);
    }
  }

  static unsigned blocks_asked(const run_config& config) {
    return config.blocks_per_sm * static_cast<unsigned>(current_gpu().sms);
  }
  static launch_shape clusters_that_fit(const run_config& config, unsigned cluster_blocks) {
    const unsigned blocks = std::min(blocks_asked(config), resident_in(config, cluster_blocks));
    return {.blocks = blocks - blocks % cluster_blocks,
            .threads_per_block = config.threads_per_block,
            .shared_bytes = shared_bytes,
            .cluster_blocks = cluster_blocks};
  }
  /// Whole clusters of the requested blocks. A cluster stays within a GPC, and the SMs of a GPC
  /// need not be a multiple of its size. If at most an eighth of the blocks does not fit, the rest
  /// run.
  static bool is_enough(const launch_shape& shape, const run_config& config) {
    const unsigned asked = blocks_asked(config);
    return shape.blocks != 0 && shape.blocks >= asked - asked / 8;
  }
  static launch_shape grid_of_clusters(const run_config& config, unsigned cluster_blocks) {
    launch_shape shape = clusters_that_fit(config, cluster_blocks);
    if (!is_enough(shape, config)) {
      shape.blocks = blocks_asked(config);
      refuse_launch(shape, resident_in(config, cluster_blocks));
    }
    return shape;
  }

  run_config config_;
  launch_shape shape_;
  counted_words words_;
  lock_table<Lock> lock_;
  lock_table<without_lock> no_lock_;
  watchdog watchdog_;
};

/// The experiment with the configured section.
template <class Lock>
std::unique_ptr<bench::experiment> experiment_at(const run_config& config) {
  if (config.empty_section) {
    if (config.ldst != 0)
      throw bench::infeasible("an empty section has no loads and stores: use --ldst 0");
    return std::make_unique<lock_experiment<Lock, nothing>>(config);
  }
  if (config.ldst == 0) return std::make_unique<lock_experiment<Lock, plain_counter>>(config);
  if constexpr (passes_value<Lock>) {
    throw bench::infeasible("a value-passing lock protects only its value: use --ldst 0");
  } else {
    return std::make_unique<lock_experiment<Lock, block_counters>>(config);
  }
}

/// The same for `Lock` with its back-off, or `WithoutBackoff` (void: no such variant).
template <class Lock, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!config.backoff) return experiment_at<WithoutBackoff>(config);
  }
  return experiment_at<Lock>(config);
}

}  // namespace finesync::mutex
