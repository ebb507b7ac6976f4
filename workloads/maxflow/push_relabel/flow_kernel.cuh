// The kernel of all one-kernel versions: it alternates global relabelling and a version's work,
// first with the sink as the root, then with the source.
#pragma once

#include "relabel.cuh"
#include "work_queue.cuh"

#include <finesync/device/clock.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/maxflow/run_config.hpp>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// Amount of work between two relabellings.
struct pace {
  unsigned steps;             ///< steps per round, at most
  unsigned relabel_interval;  ///< see run_config

  /// Steps of all rounds. The minimum avoids constant relabelling if there are few levels.
  __host__ __device__ std::uint32_t work_after(std::uint32_t levels) const {
    const auto work = static_cast<std::uint32_t>(std::uint64_t{levels} * relabel_interval / 100);
    return work < 16 ? 16 : work;
  }
};

/// Counts that a run reports, initially zero.
struct progress {
  std::uint32_t searches;
  std::uint32_t levels;        ///< of all searches
  std::uint32_t missed_nodes;  ///< nodes with excess when all queues were empty
  std::uint32_t rounds;
  std::uint32_t idle_rounds;  ///< launches without nodes, by the versions that count them
};

/// The same, as kernels see it.
struct progress_ref {
  cell<std::uint32_t>* searches;
  cell<std::uint32_t>* levels;
  cell<std::uint32_t>* missed_nodes;
  cell<std::uint32_t>* rounds;  ///< and those without nodes
  cell<std::uint64_t>* first_phase_ns;
};

/// Size of a block's queue, in whole cache lines.
template <class Queue>
inline constexpr std::size_t shared_bytes_of_queue =
    (sizeof(typename Queue::memory) + line_bytes - 1) / line_bytes* line_bytes;

/// A thread's view of the run.
template <class Queue, class Participant>
struct run_state {
  const network_ref& net;
  Queue& queue;
  Participant& participant;
  const watchdog_ref& watchdog;
  const progress_ref& counts;
  std::uint32_t searches = 0;
  std::uint32_t levels = 0;
  std::uint32_t rounds = 0;

  /// Shared memory that a version requested in addition to the queue.
  __device__ unsigned char* shared_behind_queue() const {
    return shared_bytes() + shared_bytes_of_queue<Queue>;
  }
};

/// Rounds of `steps` steps each, until the work is done. In a round, each block takes nodes from
/// its queue, step by step. Between rounds, all blocks pass a barrier and nodes are distributed
/// evenly. \param max_kept see work_queue::turn().
/// \param step a block's processing of all nodes in its queue.
/// \param ran_dry whether the queues were empty at the end.
/// \returns false if the watchdog ended a wait.
template <class Run, class Step>
__device__ bool work_in_rounds(Run& run, std::uint32_t work, unsigned steps, unsigned max_kept,
                               bool& ran_dry, Step step) {
  ran_dry = false;
  for (std::uint32_t done = 0; done < work; done += steps) {
    unsigned taken = 0;
    do {
      step();
    } while (++taken < steps && run.queue.next_step());
    ++run.rounds;
    if (!run.queue.turn(run.participant, max_kept)) return false;
    if (run.queue.has_lost()) return true;
    if (run.queue.total() == 0) {
      ran_dry = true;
      return true;
    }
  }
  return true;
}

/// Fills all arcs of the source. All threads of the grid call it.
__device__ inline void push_from_source(const network_ref& net) {
  const row of_source = net.row_of(net.source());
  for (std::uint32_t i = thread_of_grid(); of_source.has(i); i += threads_of_grid()) {
    const arc_end to = net.end(of_source.first + i);
    const std::uint32_t amount = net.residual(to.slot);
    net.push_over(to.slot, amount);
    net.add_to(to.other, amount);
  }
}

/// Works until no excess can reach the root. \returns false if the watchdog ended a wait.
template <class Version, class Run>
__device__ bool bring_excess_to(std::uint32_t root, Run& run, const Version& version,
                                const pace& at) {
  const network_ref& net = run.net;
  bool ran_dry = false;
  for (std::uint32_t last_levels = 0;;) {
    if (ran_dry) {
      for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
        if (net.is_active(u, net.node(u)))
          atomic_ref<std::uint32_t, scope::device>(*run.counts.missed_nodes)
              .fetch_add(1, memory_order::relaxed);
    }
    const searched found = search_from(root, last_levels, net, run.queue, run.participant);
    if (!found.in_time) return false;
    if (found.wanted == 0) return true;
    last_levels = found.levels;
    ++run.searches;
    run.levels += found.levels;
    for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid()) {
      const std::uint64_t seen = net.node(u);
      const bool is_active = net.is_active(u, seen);
      version.enlist(u, is_active);
      if (is_active) run.queue.push(u);
    }
    if (!run.queue.turn(run.participant)) return false;
    if (run.queue.total() == 0) return true;
    if (!version.work(run, at.work_after(found.levels), at.steps, ran_dry)) return false;
  }
}

/// \tparam Version finds and takes active nodes, trivially copyable:
///|  static constexpr unsigned room           size of a block's queue
///|  void enlist(node, bool is_active) const  called for every node before work()
///|  bool work(run_state&, std::uint32_t work, unsigned steps, bool& ran_dry) const
///|                                           about `work` steps, by all threads of all blocks;
///|                                           returns after a barrier; false: the watchdog ended
///|                                           a wait
template <class Version, class Barrier>
__global__ void __launch_bounds__(max_threads, 1)
    find_flow(network_ref net, Version version, pool_ref pool, Barrier barrier, pace at,
              progress_ref counts, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  using queue_type = work_queue<Version::room>;
  queue_type queue(shared_storage<typename queue_type::memory>(), pool);
  auto participant = barrier.join(watchdog);
  run_state<queue_type, decltype(participant)> run{net, queue, participant, watchdog, counts};

  push_from_source(net);
  if (!participant.wait()) return;
  const std::uint64_t began = global_time_ns();
  for (unsigned phase = 0; phase < 2; ++phase) {
    if (!bring_excess_to(phase == 0 ? net.sink() : net.source(), run, version, at)) return;
    if (phase == 0 && thread_of_grid() == 0) *counts.first_phase_ns = global_time_ns() - began;
  }
  if (thread_of_grid() == 0) {
    *counts.searches = run.searches;
    *counts.levels = run.levels;
    *counts.rounds = run.rounds;
  }
  watchdog.report_done();
}

}  // namespace finesync::maxflow
