// What the searches with a queue per block share: the frontier.
#pragma once

#include "distances_experiment.cuh"
#include "frontier.cuh"
#include "search.cuh"

#include <cstdint>

namespace finesync::traversal {

class search_experiment : public distances_experiment {
 public:
  search_experiment(const run_config& config, bool weighted)
      : distances_experiment(config, weighted),
        pool_capacity_(graph().vertices() + graph().arcs() / most_arcs),
        pool_(frontier_ref::pool_parts * std::size_t{pool_capacity_}),
        counters_(frontier_ref::counter_words),
        marks_(graph().vertices()) {
    pool_.fill_bytes(0);  // entries without arcs: what a broken barrier may show is in the graph
  }

  void reset() override {
    distances_experiment::reset();
    counters_.fill_bytes(0);
    marks_.fill_bytes(0);
  }

 protected:
  search_ref search() const {
    return {graph().ref(),
            {pool_.device_data(), pool_capacity_, counters_.device_data(), marks_.device_data()},
            distances(),
            source(),
            graph().mean_weight(),
            rounds_words()};
  }
  /// Entries in the pool for a round. Waits for the kernels before.
  std::uint32_t entries_in_pool(unsigned round) const {
    return counters_.to_host()[round % frontier_ref::pool_parts * line_words];
  }

 private:
  /// A level of a breadth-first search has each vertex once, in as many entries as its row has
  /// parts.
  std::uint32_t pool_capacity_;
  buffer<frontier_entry> pool_;
  buffer<std::uint32_t> counters_;
  buffer<std::uint32_t> marks_;
};

}  // namespace finesync::traversal
