// Shared by the experiments (what runs, and on one GPU data, grid, watchdog), and the experiment
// with a lock per entry.
#pragma once

#include "counters.cuh"
#include "counters.hpp"
#include "run_config.hpp"
#include "table.cuh"

#include <bench/experiment.hpp>
#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/observers/contention_observer.cuh>

#include <cstddef>
#include <string>

namespace finesync::ht {

/// Runs sections of one kind. A run with pushes verifies each with empty ones.
class verified_inserts : public bench::experiment {
 public:
  explicit verified_inserts(const run_config& config) : config_(config) {}

  void launch() final;
  bench::outcome verify() final;
  std::string unverified() const final;
  double operations() const override { return config_.problem.inserts; }

 protected:
  /// Queues the pushes.
  virtual void start_pushes() = 0;
  /// Queue as many sections of another kind. \throws bench::infeasible if the primitive has none.
  virtual void start_empties();
  virtual void start_counts();
  /// Waits for the pushes, and examines the table that they leave.
  virtual bench::outcome verify_pushes() = 0;
  /// Waits for the empty sections, and counts them.
  virtual bench::outcome verify_empties() = 0;
  /// Waits for the sections that count, and examines the counters.
  virtual bench::outcome verify_counts() = 0;

  /// Whether as many sections ran as should.
  bench::outcome verify_count(std::uint64_t ran) const;
  const run_config& config() const { return config_; }

 private:
  run_config config_;
};

/// On one GPU.
class insert_experiment : public verified_inserts {
 public:
  /// \param resident blocks of this shape that fit on the GPU. \throws launch_error.
  insert_experiment(const run_config& config, unsigned resident);
  insert_experiment(const run_config& config, const launch_shape& shape);

  void reset() override;
  bench::parameters effective_parameters() const override {
    return workload::parameters_of(shape_);
  }

 protected:
  bench::outcome verify_pushes() final;
  /// Writes the heads of the lists to the table if they are elsewhere after a run.
  virtual void collect_heads() {}

  const launch_shape& shape() const { return shape_; }
  push_service pushes() const { return {table_.ref(), config().section_work}; }
  empty_service empties() const { return {sections_.device_data(), config().section_work}; }
  count_service counts() const { return {entry_counters(), config().section_work}; }
  table_ref lists() const { return table_.ref(); }
  cell<std::uint32_t>* entry_counters() const { return counters_.device_data(); }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  bench::outcome verify_empties() final;
  bench::outcome verify_counts() final;

  launch_shape shape_;
  table table_;
  counters counters_;
  buffer<std::uint64_t> sections_;
  watchdog watchdog_;
};

/// `Probe` is no_observer in timed runs, workload::contention_observer in observed runs. 32
/// registers let an SM hold its maximum of threads, which the papers' full-occupancy points need.
template <class Lock, class Service, class Probe>
__global__ void __maxnreg__(32) insert(problem what, Service service, lock_table_ref<Lock> locks,
                                       watchdog_ref watchdog, Probe probe) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t entry = entry_of(what, i);
    probe.begin(entry);
    if (!run_exclusive(locks[entry], service(entry, i), watchdog.watching(entry), probe)) break;
  }
  service.finish();
  probe.finish();
}

/// Copies the heads of the lists into value-passing locks, and back.
template <class Lock>
__global__ void load_heads(table_ref table, lock_table_ref<Lock> locks) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < table.what.table_size;
       i += gridDim.x * blockDim.x) {
    locks[i].set(table.head[i]);
  }
}
template <class Lock>
__global__ void unload_heads(table_ref table, lock_table_ref<Lock> locks) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < table.what.table_size;
       i += gridDim.x * blockDim.x) {
    table.head[i] = locks[i].get();
  }
}

/// A value-passing lock holds the head of its list while threads insert, as a server does.
template <class Lock>
class lock_experiment final : public insert_experiment {
 public:
  explicit lock_experiment(const run_config& config)
      : insert_experiment(config, resident(config.threads_per_block)),
        locks_(config.problem.table_size,
               config.padded_locks ? lock_layout::padded : lock_layout::packed,
               std::size_t{shape().blocks} * shape().threads_per_block) {
    load();
  }

  void reset() override {
    insert_experiment::reset();
    locks_.reset();
    load();
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<Lock>(insert_experiment::effective_parameters());
  }

  bench::counters measure() override {
    if (config().section != section_kind::push) return {};
    reset();
    const workload::contention_record record(config().problem.table_size, shape().blocks);
    start(pushes(), record.probe());
    bench::expect_ok(verify_pushes());
    return workload::counters_of(record, operations(), !passes_value<Lock>);
  }

 private:
  void start_pushes() override { start(pushes(), no_observer{}); }
  void start_empties() override { start(empties(), no_observer{}); }
  void collect_heads() override {
    if constexpr (passes_value<Lock>)
      launch_independent(unload_heads<Lock>, shape(), lists(), locks_.ref());
  }
  void load() {
    if constexpr (passes_value<Lock>)
      launch_independent(load_heads<Lock>, shape(), lists(), locks_.ref());
  }

  template <class Service, class Probe>
  void start(const Service& service, const Probe& probe) {
    launch_cooperative(insert<Lock, Service, Probe>, shape(), config().problem, service,
                       locks_.ref(), timeout(), probe);
  }

  // All kernels must fit: the observed one, which needs more registers, runs on the timed one's
  // grid.
  static unsigned resident(unsigned threads_per_block) {
    return workload::resident_of_all({.threads_per_block = threads_per_block},
                                     insert<Lock, push_service, no_observer>,
                                     insert<Lock, empty_service, no_observer>,
                                     insert<Lock, push_service, workload::contention_observer>);
  }

  lock_table<Lock> locks_;
};

}  // namespace finesync::ht
