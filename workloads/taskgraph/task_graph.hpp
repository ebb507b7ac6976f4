// Graphs of tasks in layers: what they are, how they are made, and when one is sound. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

namespace finesync::taskgraph {

inline constexpr std::uint32_t no_event = ~std::uint32_t{0};

/// A task waits for at most one event and arrives at at most one.
struct task_node {
  std::uint32_t waits_for = no_event;
  std::uint32_t arrives_at = no_event;
  std::uint32_t length = 1000;  ///< of its work, in thousandths of the mean
};

struct task_graph {
  std::vector<task_node> tasks;             ///< one layer after the other
  std::vector<std::uint32_t> layer_begins;  ///< each layer's first task, and the end
  std::vector<std::uint32_t> arrivals;      ///< by event: how many its waiters wait for

  unsigned layers() const { return static_cast<unsigned>(layer_begins.size()) - 1; }
  /// By event the tasks that arrive at it.
  std::vector<std::vector<std::uint32_t>> producers() const;
  /// By event the tasks that wait for it.
  std::vector<std::vector<std::uint32_t>> consumers() const;
};

/// The axes of random graphs. The default has the size of a graph that the Mirage Persistent Kernel
/// makes of a language model: 12,012 tasks and 540 events.
struct graph_shape {
  unsigned layers = 91;
  unsigned tasks_per_layer = 132;
  unsigned events_per_layer = 6;  ///< of each layer but the last
  unsigned most_inputs = 32;      ///< an event waits for 1 to this many tasks
  bool uneven = false;            ///< lengths from a fifth to nine fifths of the mean; else equal
  unsigned seed = 1;
};

/// Events of a layer wait for random tasks of that layer, and tasks of the next one for random
/// events; each event has a waiter. \throws std::invalid_argument if there is no such graph.
task_graph random_graph(const graph_shape& shape);

/// \throws std::invalid_argument, with the first task or event at fault, unless every event that a
/// task names exists and has as many arrivals as its waiters wait for; no task waits for itself by
/// way of others; and each task waits only for tasks of earlier layers.
void check(const task_graph& graph);

/// What each task's output is a multiple of: in replay r it is r times this number, modulo 2^32.
/// \param weight of an input in the sum that a task adds to its own number; odd, so that each
/// wrong bit of an input shows in the output.
std::vector<std::uint32_t> right_outputs(const task_graph& graph, std::uint32_t weight);

/// What a task adds to its inputs.
std::uint32_t own_number(std::uint32_t task);

}  // namespace finesync::taskgraph
