// The experiment of both_directions.cuh, for any grid barrier.
#pragma once

#include "both_directions.cuh"
#include "run_config.hpp"

#include <finesync/barriers/grid_barrier.cuh>
#include <workloads/applications/barrier_cost.cuh>
#include <workloads/applications/barrier_grid.cuh>
#include <workloads/traversal/distances_experiment.cuh>

#include <utility>

namespace finesync::bfs {

template <class Barrier, class Levels = level_bitmaps>
class direction_optimizing_experiment final : public traversal::distances_experiment {
  using ref_type = decltype(std::declval<const Barrier&>().ref());
  static_assert(grid_barrier<ref_type>);
  using watched = applications::watched_barrier<ref_type>;

 public:
  explicit direction_optimizing_experiment(const run_config& config)
      : distances_experiment(checked(config), false),
        shape_(applications::grid_for<Barrier>(config,
                                               block_memory::bytes(config.threads_per_block),
                                               search_in_both_directions<ref_type, Levels>,
                                               search_in_both_directions<watched, Levels>)),
        barrier_(shape_),
        batches_(vertex_batch::number_for(graph().vertices())),
        visited_(std::size_t{batches_} * vertex_batch::words),
        levels_(Levels::words(batches_)),
        counts_(level_counts::words),
        long_rows_(graph().arcs() / (most_arcs_of_warp + 1)),
        barriers_(1) {}

  void reset() override {
    distances_experiment::reset();
    visited_.fill_bytes(0);
    levels_.fill_bytes(0);
    counts_.fill_bytes(0);
    barriers_.fill_bytes(0);
    barrier_.reset();
  }
  void launch() override { start(barrier_.ref()); }

  unsigned blocks() const { return shape_.blocks; }

  bench::counters measure() override {
    return applications::cost_of_barriers<false>(
        barrier_, shape_, timeout(), barriers_.to_host()[0], [&] { reset(); },
        [&](const auto& barrier) { start(barrier); }, [&] { return verify(); });
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<typename ref_type::participant>(
        distances_experiment::effective_parameters());
  }

 private:
  static const run_config& checked(const run_config& config) {
    if (config.threads_per_block % 32 != 0)
      throw bench::infeasible("its blocks have whole warps: a multiple of 32 threads");
    return config;
  }
  launch_shape shape() const override { return shape_; }

  both_directions_ref<Levels> search() const {
    return {.graph = graph().ref(),
            .incoming = graph().incoming(),
            .batches = batches_,
            .visited = visited_.device_data(),
            .levels = Levels(levels_.device_data(), batches_),
            .counts = level_counts(counts_.device_data()),
            .long_rows = long_rows_.device_data(),
            .most_long_rows = static_cast<std::uint32_t>(long_rows_.size()),
            .distances = distances(),
            .source = source(),
            .rounds = rounds_words(),
            .barriers = barriers_.device_data()};
  }

  template <class BarrierRef>
  void start(const BarrierRef& barrier) {
    launch_cooperative(search_in_both_directions<BarrierRef, Levels>, shape_, barrier, search(),
                       timeout());
  }

  launch_shape shape_;
  Barrier barrier_;
  std::uint32_t batches_;
  buffer<std::uint32_t> visited_;
  buffer<std::uint32_t> levels_;
  buffer<std::uint64_t> counts_;
  buffer<long_row> long_rows_;
  buffer<std::uint32_t> barriers_;
};

}  // namespace finesync::bfs
