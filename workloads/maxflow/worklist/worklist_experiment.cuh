// The device state of versions with a worklist: locks or flags.
#pragma once

#include "worklist.cuh"

#include <finesync/host/buffer.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/maxflow/flow_experiment.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

inline lock_layout layout_of(const run_config& config) {
  return config.padded_locks ? lock_layout::padded : lock_layout::packed;
}

/// A node may be in the worklist once per push to it.
template <class Lock>
class locks_of_nodes : public lock_resources {
 public:
  using version = worklist<lock_per_node<Lock>>;
  static constexpr unsigned pool_percent = 400;

  locks_of_nodes(std::size_t nodes, const run_config& config, const launch_shape& shape)
      : locks_(nodes, layout_of(config), std::size_t{shape.blocks} * shape.threads_per_block) {}
  void reset() { locks_.reset(); }
  version ref() const { return {{locks_.ref()}}; }

 private:
  lock_table<Lock> locks_;
};

template <class Lock, class Way>
class locks_of_both : public lock_resources {
 public:
  using version = worklist<both_locked<Lock, Way>>;

  locks_of_both(std::size_t nodes, const run_config& config, const launch_shape& /*shape*/)
      : locks_(nodes, layout_of(config)) {}
  void reset() { locks_.reset(); }
  version ref() const { return {{locks_.ref()}}; }

 private:
  lock_table<Lock> locks_;
};

class flags_of_nodes : public lock_resources {
 public:
  using version = worklist<in_queue_flag>;

  flags_of_nodes(std::size_t nodes, const run_config& /*config*/, const launch_shape& /*shape*/)
      : flags_(nodes) {}  // the kernel sets all flags
  version ref() const { return {{flags_.device_data()}}; }

 private:
  buffer<std::uint32_t> flags_;
};

}  // namespace finesync::maxflow
