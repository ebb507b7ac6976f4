#include "launched_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <workloads/common/outcomes.hpp>

#include <string>

namespace finesync::maxflow {

namespace {

using search_queue = work_queue<queue_room>;

__global__ void fill_arcs_of_source(network_ref net) {
  assume_one_dimension();
  push_from_source(net);
}

/// A relabelling, and the list of all nodes that can go on.
template <class Barrier>
__global__ void __launch_bounds__(max_threads, 1)
    relabel(network_ref net, std::uint32_t root, std::uint32_t last_levels, bool ran_dry,
            double_buffer_ref active, cell<std::uint32_t>* result, pool_ref pool, Barrier barrier,
            progress_ref counts, watchdog_ref watchdog) {
  assume_one_dimension();
  search_queue queue(shared_storage<search_queue::memory>(), pool);
  auto participant = barrier.join(watchdog);
  const atomic_ref<std::uint32_t, scope::device> missed(*counts.missed_nodes);
  for (std::uint32_t u = thread_of_grid(); ran_dry && u < net.nodes(); u += threads_of_grid())
    if (net.is_active(u, net.node(u))) missed.fetch_add(1, memory_order::relaxed);
  const searched found = search_from(root, last_levels, net, queue, participant);
  if (!found.in_time) return;
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
    if (net.is_active(u, net.node(u))) active.append(u);
  if (thread_of_grid() == 0) {
    result[0] = 1;
    result[1] = found.wanted;
    result[2] = found.levels;
    if (found.wanted != 0) {
      *counts.searches = *counts.searches + 1;
      *counts.levels = *counts.levels + found.levels;
    }
  }
  watchdog.report_done();
}

/// A phase on the executor that ends by itself has fewer searches.
constexpr std::uint32_t most_simulated = 2000;

constexpr auto* relabel_kernel = relabel<autotuned_barrier::ref_type>;

/// A block per SM: the search waits for barriers more than for memory.
launch_shape shape_of_search(const run_config& config) {
  return {.blocks = static_cast<unsigned>(current_gpu().sms),
          .threads_per_block = config.threads_per_block,
          .shared_bytes = shared_bytes_of_queue<search_queue>};
}

}  // namespace

launched_experiment::launched_experiment(const run_config& config, const launch_shape& shape,
                                         std::size_t room)
    : flow_experiment(config, shape),
      pace_{config.steps_per_barrier, config.relabel_interval},
      search_shape_(shape_of_search(config)),
      active_(room),
      pool_(2 * std::size_t{net().nodes()}),
      barrier_(search_shape_) {}

void launched_experiment::begin() {
  barrier_.reset();
  rounds_ = 0;
}

void launched_experiment::launch() {
  began_ = std::chrono::steady_clock::now();
  late_after_ = {};
  launch_independent(fill_arcs_of_source, search_shape_, net());
  if (!bring_excess_to(input().sink)) return;
  set_first_phase(std::chrono::steady_clock::now() - began_);
  bring_excess_to(input().source);
}

bool launched_experiment::bring_excess_to(std::uint32_t root) {
  bool ran_dry = false;
  std::uint32_t levels = 0;
  for (unsigned search = 0;; ++search) {
    const relabelled found = relabel_from(root, levels, ran_dry);
    levels = found.levels;
    if (found.in_time && (found.wanted == 0 || found.active == 0)) return true;
    const auto elapsed = std::chrono::steady_clock::now() - began_;
    const bool is_late =  // the executor's time is nominal
        current_gpu().simulated ? search == most_simulated : elapsed > time_limit();
    if (!found.in_time || is_late) {
      late_after_ = elapsed;
      return false;
    }
    ran_dry = work(pace_.work_after(levels));
  }
}

launched_experiment::relabelled launched_experiment::relabel_from(std::uint32_t root,
                                                                  std::uint32_t last_levels,
                                                                  bool ran_dry) {
  active_.reset();
  totals_.fill_bytes(0);
  counts_.fill_bytes(0);
  found_.fill_bytes(0);
  launch_cooperative(
      relabel_kernel, search_shape_, net(), root, last_levels, ran_dry, active_.ref(),
      found_.device_data(),
      pool_ref{pool_.device_data(), net().nodes(), totals_.device_data(), counts_.device_data()},
      barrier_.ref(), counts(), timeout());
  active_.swap();
  const auto words = found_.to_host();
  return {words[0] != 0, words[1], words[2], active_.read().nodes};
}

bench::outcome launched_experiment::verify_launches(const progress& reported) const {
  const std::uint32_t missing = rounds_ - reported.rounds - reported.idle_rounds;
  if (late_after_.count() == 0)
    return workload::wrong_unless(!missing, std::to_string(missing) + " rounds are not reported");
  const auto ns = static_cast<std::uint64_t>(late_after_.count());
  bench::outcome ended = workload::timed_out({.block = 0,
                                              .thread = 0,
                                              .what = awaited::unspecified,
                                              .waited_ns = ns,
                                              .last_progress_ns = ns});
  ended.reason = "the run had not ended after " + std::to_string(ns / 1'000'000) + " ms";
  ended.details["waited_for"] = std::string("the end of the run");
  return ended;
}

}  // namespace finesync::maxflow
