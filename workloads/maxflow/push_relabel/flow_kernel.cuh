// The kernel of all versions that have one: global relabelling and a version's work by turns, first
// with the sink as the root, then with the source.
#pragma once

#include "relabel.cuh"
#include "work_queue.cuh"

#include <finesync/device/clock.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/maxflow/run_config.hpp>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// How much work lies between two relabellings.
struct pace {
  unsigned steps;             ///< of a round, at most
  unsigned relabel_interval;  ///< see setup

  /// Steps of all rounds. Few levels are no reason to search all the time.
  __device__ std::uint32_t work_after(std::uint32_t levels) const {
    const auto work = static_cast<std::uint32_t>(std::uint64_t{levels} * relabel_interval / 100);
    return work < 16 ? 16 : work;
  }
};

/// What a run tells of itself, zeros at first.
struct progress {
  std::uint32_t searches;
  std::uint32_t levels;  ///< of all searches
  std::uint32_t rounds;
  std::uint32_t missed_nodes;  ///< nodes with excess that were in no queue when all were empty
};

/// The same, as kernels see it.
struct progress_ref {
  cell<std::uint32_t>* searches;
  cell<std::uint32_t>* levels;
  cell<std::uint32_t>* rounds;
  cell<std::uint32_t>* missed_nodes;
  cell<std::uint64_t>* first_phase_ns;
};

/// What a block's queue takes, in whole lines.
template <class Queue>
inline constexpr std::size_t shared_bytes_of_queue =
    (sizeof(typename Queue::memory) + line_bytes - 1) / line_bytes* line_bytes;

/// What a thread knows of the run.
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

  /// Shared memory that a version has asked for beyond that of the queue.
  __device__ unsigned char* shared_behind_queue() const {
    return shared_bytes() + shared_bytes_of_queue<Queue>;
  }
};

/// Rounds of `steps` steps each, as far as the work goes. In a round, each block takes nodes from
/// its queue, step by step; between two, all blocks meet and nodes are dealt out evenly.
/// \param most_kept see work_queue::turn(). \param step what a block does with all nodes of its
/// queue.
/// \param ran_dry whether the queues were empty at last.
/// \returns false where the watchdog ended a wait.
template <class Run, class Step>
__device__ bool work_in_rounds(Run& run, std::uint32_t work, unsigned steps, unsigned most_kept,
                               bool& ran_dry, Step step) {
  ran_dry = false;
  for (std::uint32_t done = 0; done < work; done += steps) {
    unsigned taken = 0;
    do {
      step();
    } while (++taken < steps && run.queue.next_step());
    ++run.rounds;
    if (!run.queue.turn(run.participant, most_kept)) return false;
    if (run.queue.has_lost()) return true;
    if (run.queue.total() == 0) {
      ran_dry = true;
      return true;
    }
  }
  return true;
}

/// Until no excess can reach the root. \returns false where the watchdog ended a wait.
template <class Version, class Run>
__device__ bool bring_excess_to(std::uint32_t root, Run& run, const Version& version,
                                const pace& at) {
  const network_ref& net = run.net;
  bool ran_dry = false;
  for (bool is_first = true;; is_first = false) {
    if (ran_dry) {
      for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
        if (net.is_active(u, net.node(u)))
          atomic_ref<std::uint32_t, scope::device>(*run.counts.missed_nodes)
              .fetch_add(1, memory_order::relaxed);
    }
    const searched found = search_from(root, is_first, net, run.queue, run.participant);
    if (!found.in_time) return false;
    if (found.wanted == 0) return true;
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

/// \tparam Version how active nodes are found and taken, trivially copyable:
///|  static constexpr unsigned room           of a block's queue
///   void enlist(node, bool is_active) const  before work(), of every node
///   bool work(run_state&, std::uint32_t work, unsigned steps, bool& ran_dry) const
///                                            about so many steps, all threads of all blocks;
///                                            returns behind a barrier, false for the watchdog
template <class Version, class Barrier>
__global__ void __launch_bounds__(most_threads, 1)
    find_flow(network_ref net, Version version, pool_ref pool, Barrier barrier, pace at,
              progress_ref counts, watchdog_ref watchdog) {
  using queue_type = work_queue<Version::room>;
  queue_type queue(shared_storage<typename queue_type::memory>(), pool);
  auto participant = barrier.join(watchdog);
  run_state<queue_type, decltype(participant)> run{net, queue, participant, watchdog, counts};

  const row of_source = net.row_of(net.source());
  for (std::uint32_t i = thread_of_grid(); of_source.has(i); i += threads_of_grid()) {
    const arc_end to = net.end(of_source.first + i);
    const std::uint32_t amount = net.residual(to.slot);
    net.push_over(to.slot, amount);
    net.add_to(to.other, amount);
  }
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
  watchdog.tell_done();
}

}  // namespace finesync::maxflow
