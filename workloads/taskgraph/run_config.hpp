// Configuration of the taskgraph workload at one point of a sweep.
#pragma once

#include <workloads/taskgraph/task_graph.hpp>

namespace finesync::taskgraph {

/// With more a thread would not have the registers to have its next task ready while it waits.
inline constexpr unsigned most_threads_per_block = 512;

/// The tasks of a layered random graph run, each by one block, after the tasks whose outputs they
/// read. A run is several replays of the graph, and an operation is one replay.
///
/// A task reads the outputs of all tasks that its event waits for, works, and writes its own
/// output, which is a function of its inputs and of the replay. A kernel compares each output with
/// what the host has computed for it; after each run an experiment also collects the outputs of the
/// last replay and compares every one.
struct run_config {
  graph_shape graph = {};
  unsigned payload_bytes = 0;  ///< of an output; 0: one access, which holds its value
  unsigned task_ns = 0;        ///< about, in the mean
  unsigned threads_per_block = 128;
  unsigned blocks_per_sm = 1;
  unsigned rounds = 10;  ///< replays per run
};

}  // namespace finesync::taskgraph
