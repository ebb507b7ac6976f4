// Ways to launch the levels of a search one after the other. Each is made of an object whose
// append_to(chain) queues levels_in_turn levels there, and is launched for as many.
#pragma once

#include "level.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/host/launch_graph.cuh>
#include <finesync/host/repeated_graph.cuh>
#include <finesync/host/stream.cuh>

#include <functional>

namespace finesync::traversal {

/// The host launches each level.
class levels_in_stream {
 public:
  static constexpr bool runs_to_the_end = false;

  template <class Levels>
  explicit levels_in_stream(const Levels& levels)
      : queue_([levels] { levels.append_to(stream()); }) {}
  void launch() { queue_(); }

 private:
  std::function<void()> queue_;
};

/// The host launches several at once, as a CUDA graph.
template <kernel_order Order>
class levels_in_graph {
 public:
  static constexpr bool runs_to_the_end = false;

  template <class Levels>
  explicit levels_in_graph(const Levels& levels) : graph_(stream(), Order) {
    levels.append_to(graph_);
  }
  void launch() { graph_.launch(); }

 private:
  launch_graph graph_;
};

/// One thread: ends the repetition if the level after the last one has no entries.
__global__ inline void end_without_entries(frontier_ref all, repetition_ref repetition) {
  assume_one_dimension();
  if (atomic_ref<std::uint32_t, scope::device>(all.pool_length(0)).load(memory_order::relaxed) == 0)
    repetition.end();
}

/// The device repeats that graph until no entries are left.
class levels_in_loop {
 public:
  static constexpr bool runs_to_the_end = true;

  template <class Levels>
  explicit levels_in_loop(const Levels& levels) {
    levels.append_to(graph_);
    launch_independent(graph_, end_without_entries, {.blocks = 1, .threads_per_block = 1},
                       levels.search.frontier, graph_.repetition());
  }
  void launch() { graph_.launch(); }

 private:
  repeated_graph graph_;
};

}  // namespace finesync::traversal
