// The experiment with a lock of several GPUs: one of finesync/several_gpus, with memory on each of
// them, or one of finesync/locks of system scope, in the memory of the first.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/locks/exclusive_lock.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/several_gpus/gpus_lock.cuh>
#include <finesync/several_gpus/gpus_lock_table.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>
#include <finesync/several_gpus/symmetric_view.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/engine/peers_of.hpp>
#include <workloads/common/gpus_launch.cuh>
#include <workloads/common/of_all_gpus.cuh>
#include <workloads/common/run_length.cuh>
#include <workloads/mutex/compete.cuh>
#include <workloads/mutex/counted_words.hpp>
#include <workloads/mutex/run_config.hpp>
#include <workloads/mutex/sections.cuh>

#include <concepts>
#include <cstdint>
#include <memory>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace finesync::mutex {

template <class Lock>
concept is_on_all_gpus = std::constructible_from<Lock, const symmetric_view&>;
/// Stays on a GPU for a number of sections.
template <class Lock>
concept stays_on_gpus = std::constructible_from<Lock, const symmetric_view&, unsigned>;

/// The owner of a lock in the memory of the first GPU.
template <class Lock>
class lock_on_first_gpu {
 public:
  explicit lock_on_first_gpu(const peers& all) : table_(all, 1, lock_layout::padded) {}

  lock_table_ref<Lock> ref(unsigned) const { return table_.of_gpu(0); }
  void reset() { table_.reset(); }

 private:
  gpus_lock_table<Lock> table_;
};

template <class Lock>
using owner_of = std::conditional_t<is_on_all_gpus<Lock>, gpus_lock<Lock>, lock_on_first_gpu<Lock>>;

template <class Lock>
__device__ Lock the_lock(const lock_table_ref<Lock>& on_first_gpu) {
  return on_first_gpu[0];
}
template <is_on_all_gpus Lock>
__device__ Lock the_lock(const Lock& on_all) {
  return on_all;
}

/// By thread 0 of each block. 32 registers, as compete(): an SM holds its maximum of threads.
template <class LockRef>
__global__ void __maxnreg__(32)
    compete_on_gpus(LockRef lock, plain_counter section, cell<std::uint32_t>* acquisitions,
                    workload::for_rounds run_length, watchdog_ref watchdog) {
  assume_one_dimension();
  if (threadIdx.x != 0) return;
  no_observer probe;
  acquisitions[blockIdx.x] = compete_alone(the_lock(lock), section, run_length, watchdog, probe);
  watchdog.report_done();
}

/// Copies the value of a value-passing lock back to memory.
template <class Lock>
__global__ void unload_on_gpu(Lock lock, cell<std::uint32_t>* words) {
  assume_one_dimension();
  words[0] = lock.get();
}

/// The word that the blocks of all GPUs count in, on the first of them, and their reports, each on
/// the block's GPU.
class gpus_counted_word {
 public:
  gpus_counted_word(const peers& all, unsigned blocks_of_each) : all_(&all), word_(all, 1) {
    for (const stream& each : all.streams())
      acquisitions_.push_back(buffer<std::uint32_t>::zeroed(blocks_of_each, each));
  }

  /// Waits for all peers.
  void reset() {
    for (auto& each : acquisitions_) each.fill_bytes(0);
    word_.reset();
  }

  /// For kernels of GPU `me`.
  cell<std::uint32_t>* word(unsigned me) const {
    return reinterpret_cast<cell<std::uint32_t>*>(word_.view(me).base[0]);
  }
  cell<std::uint32_t>* acquisitions_of_blocks(unsigned me) const {
    return acquisitions_[me - all_->first()].device_data();
  }

  /// What is reported of the blocks, and of the word, of all GPUs. All processes call these.
  std::vector<std::uint64_t> acquisitions_by_block() const {
    const auto counts = workload::joined(workload::of_all_gpus(*all_, acquisitions_));
    return {counts.begin(), counts.end()};
  }
  std::uint64_t acquisitions() const {
    const auto by_block = acquisitions_by_block();
    return std::accumulate(by_block.begin(), by_block.end(), std::uint64_t{0});
  }
  bench::outcome verify_counts() const {
    return mutex::verify_counts(workload::of_all_gpus(*all_, word_)[0], acquisitions());
  }

 private:
  const peers* all_;
  symmetric_memory word_;
  std::vector<buffer<std::uint32_t>> acquisitions_;
};

template <class Lock>
class gpus_lock_experiment final : public bench::experiment {
 public:
  explicit gpus_lock_experiment(const run_config& config)
      : gpus_lock_experiment(config, gpus_of(config)) {}

  void reset() override {
    counted_.reset();
    lock_.reset();
    launch_.reset();
  }

  void launch() override {
    launch_.start(kernel, [&](unsigned me) {
      return std::tuple(lock_.ref(me), plain_counter{counted_.word(me)},
                        counted_.acquisitions_of_blocks(me), workload::for_rounds{config_.rounds},
                        launch_.timeout(me));
    });
  }
  const stream* timed_stream() const override { return launch_.timed_stream(); }

  bench::outcome verify() override {
    bench::outcome ended = launch_.ending();
    if (!ended.ok()) {
      ended.details["operations_done"] = static_cast<long long>(counted_.acquisitions());
      return ended;
    }
    ended = verify_rounds(counted_.acquisitions_by_block(), config_.rounds);
    if (!ended.ok()) return ended;
    if constexpr (passes_value<Lock>) {
      const peers& all = launch_.all();
      if (all.first() == 0)
        launch_independent(all.stream_of(0), unload_on_gpu<Lock>,
                           {.blocks = 1, .threads_per_block = 1}, lock_.ref(0), counted_.word(0));
      all.synchronize();
    }
    return counted_.verify_counts();
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective =
        workload::with_parameters_of<Lock>(launch_.effective_parameters());
    if constexpr (stays_on_gpus<Lock>)
      workload::add_parameter(effective, "sections_in_a_row", lock_.ref(0).sections());
    return effective;
  }

  double operations() const override {
    return double{1} * config_.gpus * launch_.shape().blocks * config_.rounds;
  }

 private:
  using lock_ref = std::remove_cvref_t<decltype(std::declval<const owner_of<Lock>&>().ref(0))>;
  static constexpr auto* kernel = compete_on_gpus<lock_ref>;

  gpus_lock_experiment(const run_config& config, peers all)
      : gpus_lock_experiment(config, workload::grid_of_each(config, all, resident(config)),
                             std::move(all)) {}
  gpus_lock_experiment(const run_config& config, const launch_shape& shape, peers&& all)
      : config_(config),
        launch_(std::move(all), shape),
        counted_(launch_.all(), shape.blocks),
        lock_(made_lock(config, launch_.all())) {}

  static peers gpus_of(const run_config& config) {
    if (config.ldst != 0 || config.empty_section)
      throw bench::infeasible(
          "sections of several GPUs count in one word: use --ldst 0 --section count");
    return workload::peers_of(config.engine, config.gpus);
  }
  static unsigned resident(const run_config& config) {
    return workload::resident_of_all({.threads_per_block = config.threads_per_block}, kernel);
  }
  static owner_of<Lock> made_lock(const run_config& config, const peers& all) {
    if constexpr (stays_on_gpus<Lock>) {
      if (config.sections_in_a_row != 0) return owner_of<Lock>(all, config.sections_in_a_row);
    }
    return owner_of<Lock>(all);
  }

  run_config config_;
  workload::gpus_launch launch_;
  gpus_counted_word counted_;
  owner_of<Lock> lock_;
};

}  // namespace finesync::mutex
