// A search without a barrier: a launch per level.
#pragma once

#include "level.cuh"
#include "ways.cuh"

#include <workloads/common/grid.cuh>
#include <workloads/traversal/search_experiment.cuh>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace finesync::traversal {

/// levels_in_turn levels, to be queued in a stream or a graph.
template <class Kind>
struct levels_to_launch {
  launch_shape shape;
  search_ref search;
  cell<std::uint64_t>* kept;

  template <class Chain>
  void append_to(Chain&& chain) const {
    for (unsigned level = 0; level < levels_in_turn; ++level)
      launch_independent(chain, search_level<Kind>, shape, search, kept, level);
  }
};

/// \tparam Kind breadth_first or shortest_paths, \tparam Way see ways.cuh
template <class Kind, class Way>
class relaunched_search final : public search_experiment {
 public:
  explicit relaunched_search(const run_config& config)
      : relaunched_search(config, workload::grid_for(config, 0, search_level<Kind>)) {}

  void reset() override {
    search_experiment::reset();
    kept_.fill_bytes(0);
  }

  /// The host looks whether entries are left after 1 launch of the levels, then after 2 more, 4
  /// more and so on: a look costs as much as a few levels, and levels without entries cost, too.
  void launch() override {
    constexpr unsigned most_between_looks = 16;
    launch_independent(put_source_in_pool, {.blocks = 1, .threads_per_block = 32}, search());
    unsigned launches = 1;
    do {
      for (unsigned i = 0; i < launches; ++i) way_.launch();
      launches = std::min(2 * launches, most_between_looks);
    } while (!Way::runs_to_the_end && entries_in_pool(0) != 0);
  }

 private:
  using threshold = typename Kind::threshold;

  relaunched_search(const run_config& config, const launch_shape& shape)
      : search_experiment(config, threshold::holds_back),
        shape_(shape),
        kept_(kept_slots * std::size_t{threshold::kept_words}),
        way_(levels_to_launch<Kind>{shape_, search(), kept_.device_data()}) {}

  launch_shape shape() const override { return shape_; }

  launch_shape shape_;
  buffer<std::uint64_t> kept_;
  Way way_;
};

template <class Kind, class Way>
std::unique_ptr<bench::experiment> relaunched(const run_config& config) {
  applications::require_kernel_end(config.form);
  return std::make_unique<relaunched_search<Kind, Way>>(config);
}

}  // namespace finesync::traversal
