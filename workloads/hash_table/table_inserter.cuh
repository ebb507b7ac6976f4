// What all inserters share (table, grid, watchdog), and those that take a lock per entry.
#pragma once

#include "inserter.hpp"
#include "table.cuh"

#include <finesync/device/launch.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/locks/contention_probe.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>

#include <type_traits>

namespace finesync::hash_table {

class table_inserter : public inserter {
 public:
  /// \param resident blocks of this shape that the whole GPU holds. \throws launch_error.
  table_inserter(const setup& how, unsigned resident);

  void reset() override;
  outcome check() override;

 protected:
  const launch_shape& shape() const { return shape_; }
  table_ref lists() const { return table_.ref(); }
  watchdog_ref dog() const { return dog_.ref(); }
  const setup& how() const { return how_; }

 private:
  setup how_;
  launch_shape shape_;
  table table_;
  watchdog dog_;
};

/// Counters of one watched run, as inserter::watch() promises them.
std::map<std::string, double> describe(const contention_record& record, const problem& what);

/// `Probe` is no_probe in timed runs, contention_probe in watched ones. 32 registers let an SM hold
/// all the threads it can, which the papers' full-occupancy points need.
template <class Lock, class Probe>
__global__ void __maxnreg__(32) insert(table_ref table, lock_table_ref<Lock> locks,
                                       std::uint32_t extra, watchdog_ref dog, Probe probe) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < table.what.inserts;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t entry = entry_of(table.what, i);
    probe.begin(entry);
    if (!run_exclusive(locks[entry], push(table, entry, i, extra), dog, probe)) break;
  }
  if constexpr (!std::is_same_v<Probe, no_probe>) probe.finish();
}

template <class Lock>
class locked_inserter final : public table_inserter {
 public:
  explicit locked_inserter(const setup& how)
      : table_inserter(how, resident(how.threads_per_block)),
        locks_(how.what.table_size,
               how.padded_locks ? lock_spacing::padded : lock_spacing::packed) {}

  void reset() override {
    table_inserter::reset();
    locks_.reset();
  }

  void launch() override {
    launch_cooperative(insert<Lock, no_probe>, shape(), lists(), locks_.ref(), how().extra, dog(),
                       no_probe{});
  }

  std::map<std::string, double> watch() override {
    reset();
    const contention_record record(how().what.table_size, shape().blocks);
    launch_cooperative(insert<Lock, contention_probe>, shape(), lists(), locks_.ref(), how().extra,
                       dog(), record.probe());
    synchronize();
    return describe(record, how().what);
  }

 private:
  // Both kernels must fit: the watched one, with more registers, runs on the timed one's grid.
  static unsigned resident(unsigned threads_per_block) {
    const unsigned timed = max_resident_blocks(insert<Lock, no_probe>, threads_per_block);
    const unsigned watched = max_resident_blocks(insert<Lock, contention_probe>, threads_per_block);
    return timed < watched ? timed : watched;
  }

  lock_table<Lock> locks_;
};

}  // namespace finesync::hash_table
