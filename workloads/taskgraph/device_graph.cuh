// A task graph in device memory.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/taskgraph/task_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::taskgraph {

/// What a block needs of a task before it may run. Outputs lie in rows, those of an event's
/// producers one after the other.
struct alignas(16) task_links {
  std::uint32_t waits_for;  ///< an event; with inputs == 0 any
  std::uint32_t first_input;
  std::uint32_t inputs;      ///< rows, and arrivals at the event
  std::uint32_t arrives_at;  ///< or no_event
};
/// What it then does.
struct alignas(16) task_work {
  std::uint32_t output;  ///< its row
  std::uint32_t cycles;
  std::uint32_t own;    ///< what it adds to its inputs
  std::uint32_t right;  ///< its output in replay 1
};
struct task_record {
  task_links links;
  task_work work;
};

/// Where the tasks stand that wait for an event.
struct consumer_list {
  std::uint32_t begin;
  std::uint32_t end;
};

struct graph_ref {
  std::uint32_t tasks;
  std::uint32_t layers;
  std::uint32_t events;
  const cell<task_links>* links;
  const cell<task_work>* work;
  const cell<std::uint32_t>* layer_begins;
  const cell<consumer_list>* consumers_of;  ///< by event; after them the tasks without one
  const cell<std::uint32_t>* consumers;

  /// The record of a task; of the last one past the end, for callers that read ahead.
  __device__ task_record task(std::uint32_t number) const {
    const std::uint32_t index = number < tasks ? number : tasks - 1;
    return {links[index], work[index]};
  }
};

class device_graph {
 public:
  /// \param right see right_outputs(). \param mean_cycles of a task's work.
  device_graph(const task_graph& graph, const std::vector<std::uint32_t>& right,
               std::uint32_t mean_cycles)
      : layers_(graph.layers()),
        links_(graph.tasks.size()),
        work_(graph.tasks.size()),
        layer_begins_(graph.layer_begins.size()),
        consumers_of_(graph.arrivals.size() + 1),
        consumers_(graph.tasks.size()) {
    rows_.resize(graph.tasks.size());
    const std::vector<std::uint32_t> first_rows = set_rows(graph);
    std::vector<task_links> links;
    std::vector<task_work> work;
    for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) {
      const task_node& own = graph.tasks[i];
      const bool waits = own.waits_for != no_event;
      links.push_back({waits ? own.waits_for : 0, waits ? first_rows[own.waits_for] : 0,
                       waits ? graph.arrivals[own.waits_for] : 0, own.arrives_at});
      work.push_back({rows_[i],
                      static_cast<std::uint32_t>(std::uint64_t{mean_cycles} * own.length / 1000),
                      own_number(i), right[i]});
    }
    links_.keep_copy_of(links);
    work_.keep_copy_of(work);
    layer_begins_.keep_copy_of(graph.layer_begins);
    set_consumers(graph);
  }

  graph_ref ref() const {
    return {static_cast<std::uint32_t>(links_.size()),
            layers_,
            static_cast<std::uint32_t>(consumers_of_.size() - 1),
            links_.device_data(),
            work_.device_data(),
            layer_begins_.device_data(),
            consumers_of_.device_data(),
            consumers_.device_data()};
  }
  /// The row of each task's output.
  const std::vector<std::uint32_t>& rows() const { return rows_; }

 private:
  /// \returns by event its producers' first row.
  std::vector<std::uint32_t> set_rows(const task_graph& graph) {
    std::vector<std::uint32_t> first_rows;
    std::uint32_t next = 0;
    for (const auto& producers : graph.producers()) {
      first_rows.push_back(next);
      for (const std::uint32_t each : producers) rows_[each] = next++;
    }
    for (std::uint32_t i = 0; i < graph.tasks.size(); ++i)
      if (graph.tasks[i].arrives_at == no_event) rows_[i] = next++;
    return first_rows;
  }

  void set_consumers(const task_graph& graph) {
    std::vector<consumer_list> lists;
    std::vector<std::uint32_t> all;
    const auto add = [&](const std::vector<std::uint32_t>& own) {
      const auto begin = static_cast<std::uint32_t>(all.size());
      all.insert(all.end(), own.begin(), own.end());
      lists.push_back({begin, static_cast<std::uint32_t>(all.size())});
    };
    for (const auto& own : graph.consumers()) add(own);
    std::vector<std::uint32_t> free;
    for (std::uint32_t i = 0; i < graph.tasks.size(); ++i)
      if (graph.tasks[i].waits_for == no_event) free.push_back(i);
    add(free);
    consumers_of_.keep_copy_of(lists);
    consumers_.keep_copy_of(all);
  }

  std::uint32_t layers_;
  std::vector<std::uint32_t> rows_;
  buffer<task_links> links_;
  buffer<task_work> work_;
  buffer<std::uint32_t> layer_begins_;
  buffer<consumer_list> consumers_of_;
  buffer<std::uint32_t> consumers_;
};

}  // namespace finesync::taskgraph
