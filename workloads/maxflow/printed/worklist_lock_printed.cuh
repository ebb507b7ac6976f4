// ASPLOS'19's baseline (section 4.1): He and Hong's algorithm with a worklist. A thread that pushes
// to a node appends it, even if it is already there. So several threads may take out one node, and
// each node has a lock, which they hold during its step. A push adds to its receiver atomically, as
// He and Hong's does: the receiver's lock is not needed.
#pragma once

#include "launched_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/common/arithmetic.cuh>
#include <workloads/common/grid.cuh>
#include <workloads/common/observers/contention_observer.cuh>
#include <workloads/maxflow/push_relabel/step.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// A round: a step of each node in the list. \param rounds with nodes, and those without.
template <class Lock, class Observer>
__global__ void __launch_bounds__(max_threads)
    work_off_list(network_ref net, double_buffer_ref list, lock_table_ref<Lock> locks,
                  std::uint32_t section_work, cell<std::uint32_t>* rounds, watchdog_ref watchdog,
                  Observer observer) {
  assume_one_dimension();
  list.empty_the_one_after_next();
  const std::uint32_t size = list.size();
  if (thread_of_grid() == 0)
    atomic_ref<std::uint32_t, scope::device>(rounds[size != 0 ? 0 : 1])
        .fetch_add(1, memory_order::relaxed);
  for (std::uint32_t i = thread_of_grid(); i < size; i += threads_of_grid()) {
    const std::uint32_t node = list[i];
    stepped done;
    const auto section = [&] {
      done = step_of(net, node);
      workload::spend_arithmetic(section_work);
    };
    observer.begin(node);
    if (!run_exclusive(locks[node], section, watchdog.watching(node), observer)) return;
    if (done.receiver != no_node) list.append(done.receiver);
    if (done.is_active) list.append(node);
  }
  observer.finish();
}

/// \tparam room_percent nodes that a list holds, in percent of all: a node may be in it several
/// times, and what has no room waits for the next relabelling.
template <class Lock, unsigned room_percent = 400>
class worklist_lock_experiment final : public launched_experiment {
 public:
  explicit worklist_lock_experiment(const run_config& config)
      : launched_experiment(config, shape_for(config),
                            std::size_t{nodes_of(config)} * room_percent / 100),
        locks_(nodes_of(config), lock_layout::packed),
        section_work_(config.section_work) {}

  bench::counters measure() override {
    return with_contention([&](const workload::contention_record& record) {
      observed_ = &record;
      launch();
      observed_ = nullptr;
    });
  }

 protected:
  void begin() override {
    launched_experiment::begin();
    locks_.reset();
  }
  bool work(std::uint32_t steps) override {
    for (std::uint32_t done = 0; done < steps;) {
      for (unsigned i = 0; i < rounds_per_look && done < steps; ++i, ++done) start_round();
      const auto left = active_nodes().read();
      if (left.nodes == 0) return !left.has_lost;
      if (given_up()) return false;
    }
    return false;
  }

 private:
  static constexpr auto* timed = work_off_list<Lock, no_observer>;
  static constexpr auto* watched = work_off_list<Lock, workload::contention_observer>;
  /// Rounds that the host queues before it looks whether nodes are left.
  static constexpr unsigned rounds_per_look = 64;

  static launch_shape shape_for(const run_config& config) {
    check_block(config);
    return workload::grid_for(config, 0, timed, watched);
  }

  void start_round() {
    const auto start = [&](auto* kernel, const auto& observer) {
      launch_independent(kernel, shape(), net(), active_nodes().ref(), locks_.ref(), section_work_,
                         counts().rounds, timeout(), observer);
    };
    if (observed_ != nullptr)
      start(watched, observed_->probe());
    else
      start(timed, no_observer{});
    active_nodes().swap();
    count_round();
  }

  lock_table<Lock> locks_;
  std::uint32_t section_work_;
  const workload::contention_record* observed_ = nullptr;
};

}  // namespace finesync::maxflow
