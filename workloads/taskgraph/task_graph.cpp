#include "task_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace finesync::taskgraph {

namespace {

using numbers = std::vector<std::uint32_t>;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("task graph: " + why);
}
std::string name_of(const char* what, std::size_t number) {
  return std::string(what) + " " + std::to_string(number);
}

/// A random number from 0 to below `bound`: the same on every machine, unlike a distribution's.
std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(std::uint64_t{random()} * bound >> 32);
}

/// In random order.
numbers shuffled(std::uint32_t first, std::uint32_t count, std::mt19937& random) {
  numbers all(count);
  std::iota(all.begin(), all.end(), first);
  for (std::uint32_t i = count; i > 1; --i) std::swap(all[i - 1], all[below(random, i)]);
  return all;
}

std::vector<numbers> by_event(const task_graph& graph, std::uint32_t task_node::*event) {
  std::vector<numbers> found(graph.arrivals.size());
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i)
    if (graph.tasks[i].*event != no_event) found[graph.tasks[i].*event].push_back(i);
  return found;
}

void check_events(const task_graph& graph) {
  for (std::size_t i = 0; i < graph.tasks.size(); ++i)
    for (const std::uint32_t event : {graph.tasks[i].waits_for, graph.tasks[i].arrives_at})
      if (event != no_event && event >= graph.arrivals.size())
        refuse(name_of("task", i) + " names " + name_of("event", event) + ", and there are " +
               std::to_string(graph.arrivals.size()));
  const auto producers = graph.producers();
  for (std::size_t event = 0; event < producers.size(); ++event)
    if (producers[event].size() != graph.arrivals[event])
      refuse(name_of("event", event) + " waits for " + std::to_string(graph.arrivals[event]) +
             " arrivals, and " + std::to_string(producers[event].size()) + " tasks arrive at it");
}

/// Starts tasks as their events let them, and finds out whether all start.
void check_cycles(const task_graph& graph) {
  const auto consumers = graph.consumers();
  numbers missing = graph.arrivals;
  numbers started;
  std::vector<bool> has_started(graph.tasks.size());
  const auto start = [&](std::uint32_t task) {
    started.push_back(task);
    has_started[task] = true;
  };
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i)
    if (const std::uint32_t event = graph.tasks[i].waits_for;
        event == no_event || graph.arrivals[event] == 0)
      start(i);
  for (std::size_t next = 0; next < started.size(); ++next)
    if (const std::uint32_t event = graph.tasks[started[next]].arrives_at;
        event != no_event && --missing[event] == 0)
      for (const std::uint32_t consumer : consumers[event]) start(consumer);
  if (const auto waits = std::ranges::find(has_started, false); waits != has_started.end()) {
    const auto task = static_cast<std::size_t>(waits - has_started.begin());
    refuse(name_of("task", task) + " never starts: it waits, by way of " +
           name_of("event", graph.tasks[task].waits_for) + ", for itself or for a task that does");
  }
}

void check_layers(const task_graph& graph) {
  if (graph.layer_begins.empty() || graph.layer_begins.front() != 0 ||
      graph.layer_begins.back() != graph.tasks.size() ||
      !std::ranges::is_sorted(graph.layer_begins))
    refuse("its layers are not its tasks");
  numbers ready_after(graph.arrivals.size());  // by event: the last layer of its producers
  for (std::uint32_t layer = 0; layer < graph.layers(); ++layer)
    for (std::uint32_t i = graph.layer_begins[layer]; i < graph.layer_begins[layer + 1]; ++i) {
      const task_node& own = graph.tasks[i];
      if (own.arrives_at != no_event) ready_after[own.arrives_at] = layer;
    }
  for (std::uint32_t layer = 0; layer < graph.layers(); ++layer)
    for (std::uint32_t i = graph.layer_begins[layer]; i < graph.layer_begins[layer + 1]; ++i) {
      const task_node& own = graph.tasks[i];
      if (own.waits_for != no_event && ready_after[own.waits_for] >= layer)
        refuse(name_of("task", i) + " of " + name_of("layer", layer) +
               " waits for a task of a layer that is not earlier");
    }
}

}  // namespace

std::vector<numbers> task_graph::producers() const {
  return by_event(*this, &task_node::arrives_at);
}
std::vector<numbers> task_graph::consumers() const {
  return by_event(*this, &task_node::waits_for);
}

task_graph random_graph(const graph_shape& shape) {
  if (shape.layers == 0 || shape.tasks_per_layer == 0 || shape.most_inputs == 0)
    refuse("it needs a layer, a task per layer and an input per event");
  if (shape.layers > 1 &&
      (shape.events_per_layer == 0 || shape.events_per_layer > shape.tasks_per_layer))
    refuse("a layer has 1 to as many events as tasks");
  std::mt19937 random(shape.seed);
  const std::uint32_t width = shape.tasks_per_layer;
  task_graph graph;
  graph.tasks.resize(std::size_t{shape.layers} * width);
  for (std::uint32_t layer = 0; layer <= shape.layers; ++layer)
    graph.layer_begins.push_back(layer * width);
  for (std::uint32_t layer = 0; layer + 1 < shape.layers; ++layer) {
    const numbers producers = shuffled(layer * width, width, random);
    const numbers consumers = shuffled((layer + 1) * width, width, random);
    const auto first_event = static_cast<std::uint32_t>(graph.arrivals.size());
    auto next = producers.begin();
    for (std::uint32_t left = shape.events_per_layer; left != 0; --left) {
      const auto free = static_cast<std::uint32_t>(producers.end() - next) - (left - 1);
      const std::uint32_t inputs = std::min(1 + below(random, shape.most_inputs), free);
      for (std::uint32_t i = 0; i < inputs; ++i)
        graph.tasks[*next++].arrives_at = static_cast<std::uint32_t>(graph.arrivals.size());
      graph.arrivals.push_back(inputs);
    }
    for (std::uint32_t i = 0; i < width; ++i)
      graph.tasks[consumers[i]].waits_for =
          first_event + (i < shape.events_per_layer ? i : below(random, shape.events_per_layer));
  }
  if (shape.uneven)
    for (task_node& each : graph.tasks) each.length = 200 + below(random, 1601);
  return graph;
}

void check(const task_graph& graph) {
  check_events(graph);
  check_cycles(graph);
  check_layers(graph);
}

std::uint32_t own_number(std::uint32_t task) {
  return (task * 2654435761u ^ task >> 7) | 1;
}

numbers right_outputs(const task_graph& graph, std::uint32_t weight) {
  numbers right(graph.tasks.size());
  numbers sums(graph.arrivals.size());
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) {
    const task_node& own = graph.tasks[i];
    right[i] = own_number(i);
    if (own.waits_for != no_event) right[i] += weight * sums[own.waits_for];
    if (own.arrives_at != no_event) sums[own.arrives_at] += right[i];
  }
  return right;
}

}  // namespace finesync::taskgraph
