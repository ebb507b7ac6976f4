// What all inserters share (table, grid, watchdog), and those that take a lock per entry.
#pragma once

#include "inserter.hpp"
#include "table.cuh"

#include <finesync/device/launch.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/common/contention_probe.cuh>

#include <algorithm>
#include <cstddef>
#include <map>
#include <type_traits>

namespace finesync::hash_table {

class table_inserter : public trial {
 public:
  /// \param resident blocks of this shape that the whole GPU holds. \throws launch_error.
  table_inserter(const setup& how, unsigned resident);

  void reset() override;
  outcome check() override;
  double operations() const override { return how_.what.inserts; }

 protected:
  const launch_shape& shape() const { return shape_; }
  push_service pushes() const { return {table_.ref(), how_.extra}; }
  empty_service empties() const { return {sections_.cells(), how_.extra}; }
  table_ref lists() const { return table_.ref(); }
  watchdog_ref dog() const { return dog_.ref(); }
  const setup& how() const { return how_; }

 private:
  setup how_;
  launch_shape shape_;
  table table_;
  buffer<std::uint64_t> sections_;
  watchdog dog_;
};

/// Counters of one watched run, as inserter::watch() promises them.
std::map<std::string, double> describe(const workload::contention_record& record,
                                       const problem& what);

/// `Probe` is no_probe in timed runs, contention_probe in watched ones. 32 registers let an SM hold
/// all the threads it can, which the papers' full-occupancy points need.
template <class Lock, class Service, class Probe>
__global__ void __maxnreg__(32) insert(problem what, Service service, lock_table_ref<Lock> locks,
                                       watchdog_ref dog, Probe probe) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t entry = entry_of(what, i);
    probe.begin(entry);
    if (!run_exclusive(locks[entry], service(entry, i), dog, probe)) break;
  }
  service.finish();
  if constexpr (!std::is_same_v<Probe, no_probe>) probe.finish();
}

/// The heads of the lists, into the locks that carry them and back.
template <class Lock>
__global__ void load_heads(table_ref table, lock_table_ref<Lock> locks) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < table.what.table_size;
       i += gridDim.x * blockDim.x) {
    locks[i].set(table.head[i]);
  }
}
template <class Lock>
__global__ void unload_heads(table_ref table, lock_table_ref<Lock> locks) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < table.what.table_size;
       i += gridDim.x * blockDim.x) {
    table.head[i] = locks[i].get();
  }
}

/// A lock that carries the head of its list has it while threads insert, as a server would.
template <class Lock>
class locked_inserter final : public table_inserter {
 public:
  explicit locked_inserter(const setup& how)
      : table_inserter(how, resident(how.threads_per_block)),
        locks_(how.what.table_size, how.padded_locks ? lock_spacing::padded : lock_spacing::packed,
               std::size_t{shape().blocks} * shape().threads_per_block) {
    load();
  }

  void reset() override {
    table_inserter::reset();
    locks_.reset();
    load();
  }

  outcome check() override {
    if constexpr (carries_word<Lock>)
      launch_independent(unload_heads<Lock>, shape(), lists(), locks_.ref());
    return table_inserter::check();
  }

  void launch() override {
    if (how().empty_sections)
      start(empties(), no_probe{});
    else
      start(pushes(), no_probe{});
  }

  std::map<std::string, double> watch() override {
    if (how().empty_sections) return {};
    reset();
    const workload::contention_record record(how().what.table_size, shape().blocks);
    start(pushes(), record.probe());
    stream().synchronize();
    auto seen = describe(record, how().what);
    // The probe's times of release need a lock that orders more than its word.
    if constexpr (carries_word<Lock>)
      std::erase_if(seen, [](const auto& one) { return one.first.starts_with("lock_transfer"); });
    return seen;
  }

 private:
  void load() {
    if constexpr (carries_word<Lock>)
      launch_independent(load_heads<Lock>, shape(), lists(), locks_.ref());
  }

  template <class Service, class Probe>
  void start(const Service& service, const Probe& probe) {
    launch_cooperative(insert<Lock, Service, Probe>, shape(), how().what, service, locks_.ref(),
                       dog(), probe);
  }

  // All kernels must fit: the watched one, with more registers, runs on the timed one's grid.
  static unsigned resident(unsigned threads_per_block) {
    return std::min({max_resident_blocks(insert<Lock, push_service, no_probe>, threads_per_block),
                     max_resident_blocks(insert<Lock, empty_service, no_probe>, threads_per_block),
                     max_resident_blocks(insert<Lock, push_service, workload::contention_probe>,
                                         threads_per_block)});
  }

  lock_table<Lock> locks_;
};

}  // namespace finesync::hash_table
