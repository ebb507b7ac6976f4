// Edge lists with any Minimum: two launches per phase.
#pragma once

#include "edge_list_experiment.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch_graph.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/mst/minimum/locked_minimum.cuh>
#include <workloads/mst/phases/edges_by_rows.cuh>
#include <workloads/mst/phases/edges_by_weights.cuh>
#include <workloads/mst/phases/rounds.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace finesync::mst {

/// Data of a Minimum in addition to the records; empty unless it has locks.
template <class Minimum>
class record_extras {
 public:
  explicit record_extras(std::uint32_t /*components*/) {}
  void reset() {}
  Minimum with(cell<std::uint64_t>* words, std::uint32_t components) const {
    return Minimum(words, components);
  }
};
template <class Minimum>
requires requires {
  typename Minimum::lock;
}
class record_extras<Minimum> {
 public:
  explicit record_extras(std::uint32_t components) : locks_(components, lock_layout::packed) {}
  void reset() { locks_.reset(); }
  Minimum with(cell<std::uint64_t>* words, std::uint32_t components) const {
    return Minimum(words, components, locks_.ref());
  }

 private:
  lock_table<typename Minimum::lock> locks_;
};

/// The rounds of a phase in one launch, from a level whose edges are listed and proposed.
template <class Minimum>
class cooperative_rounds {
 public:
  cooperative_rounds()
      : shape_{.blocks = resident(),
               .threads_per_block = round_threads,
               .shared_bytes = sizeof(round_storage)},
        barrier_(shape_) {}

  void reset() { barrier_.reset(); }
  template <class Queue>
  void launch(Queue& in, const forest_ref& run, const Minimum& minima, phase which,
              unsigned first_level, const watchdog_ref& watchdog) {
    launch_cooperative(in, kernel, shape_, run, minima, phase{which}, unsigned{first_level},
                       which == heavy, barrier_.ref(), watchdog);
  }
  const launch_shape& shape() const { return shape_; }

 private:
  static constexpr auto* kernel = run_rounds<Minimum, autotuned_barrier::ref_type>;

  static unsigned resident() {
    const auto sms = static_cast<unsigned>(current_gpu().sms);
    return std::min(round_blocks_per_sm * sms,
                    max_resident_blocks(kernel, round_threads, sizeof(round_storage)));
  }

  launch_shape shape_;
  autotuned_barrier barrier_;
};

/// Lists and proposes the edges of a phase's first level.
template <class Queue, class Minimum>
void launch_listing(Queue& in, phase which, const forest_ref& run, const Minimum& minima,
                    bool filtered, const watchdog_ref& watchdog) {
  const auto launch = [&](auto* kernel, std::size_t shared_bytes) {
    launch_independent(in, kernel,
                       {.blocks = max_resident_blocks(kernel, block_threads, shared_bytes),
                        .threads_per_block = block_threads,
                        .shared_bytes = shared_bytes},
                       run, minima, watchdog);
  };
  if (which == heavy)
    launch(list_by_rows<heavy_arcs, Minimum>, sizeof(row_listing_storage));
  else if (filtered)
    launch(list_by_weights<Minimum>, sizeof(weight_listing_storage));
  else
    launch(list_by_rows<all_arcs, Minimum>, sizeof(row_listing_storage));
}

/// All launches form a graph: in a stream, the GPU would wait for the host between short kernels.
template <class Minimum>
class minimum_experiment final : public edge_list_experiment {
 public:
  explicit minimum_experiment(const run_config& config)
      : edge_list_experiment(config), locks_(components()) {
    if (graph().arcs() == 0) return;
    launch_before_light(kernels_);
    launch_phase(light);
    if (!is_filtered()) return;
    launch_before_heavy(kernels_);
    launch_phase(heavy);
  }

 protected:
  void begin() override {
    edge_list_experiment::begin();
    locks_.reset();
    rounds_.reset();
  }
  void start() override { kernels_.launch(); }
  unsigned launches_of(phase) const override { return 2; }
  launch_shape shape() const override { return rounds_.shape(); }

 private:
  void launch_phase(phase which) {
    const Minimum minima = locks_.with(record_words(), components());
    launch_listing(kernels_, which, ref(), minima, is_filtered(), timeout());
    rounds_.launch(kernels_, ref(), minima, which, 0, timeout());
  }

  record_extras<Minimum> locks_;
  cooperative_rounds<Minimum> rounds_;
  launch_graph kernels_;
};

template <class Lock>
using locked_experiment = minimum_experiment<warp_filtered<locked_minimum<Lock>>>;

}  // namespace finesync::mst
