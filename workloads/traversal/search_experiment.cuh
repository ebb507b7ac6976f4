// What the searches with a queue per block share: the frontier.
#pragma once

#include "distances_experiment.cuh"
#include "frontier.cuh"
#include "search.cuh"

#include <cstdint>
#include <optional>
#include <string>

namespace finesync::traversal {

class search_experiment : public distances_experiment {
 public:
  /// \param beside entries of a round for which the pool has room beside one for each vertex.
  search_experiment(const run_config& config, bool weighted, std::uint32_t beside = 0)
      : distances_experiment(config, weighted),
        pool_capacity_(graph().vertices() + graph().arcs() / most_arcs + beside),
        pool_(frontier_ref::pool_parts * std::size_t{pool_capacity_}),
        counters_(frontier_ref::counter_words),
        lost_(1) {
    pool_.fill_bytes(0);  // entries without arcs: what a broken barrier may show is in the graph
  }

  void reset() override {
    distances_experiment::reset();
    counters_.fill_bytes(0);
    lost_.fill_bytes(0);
  }

 protected:
  search_ref search() const {
    return {graph().ref(),
            {pool_.device_data(), pool_capacity_, counters_.device_data(), lost_.device_data()},
            distances(),
            source(),
            graph().mean_weight(),
            rounds_word()};
  }
  /// Entries in the pool for a round. Waits for the kernels before.
  std::uint32_t entries_in_pool(unsigned round) const {
    return counters_.to_host()[round % frontier_ref::pool_parts * line_words];
  }

 private:
  std::optional<std::string> fault_of_run() const override {
    const std::uint32_t lost = lost_.to_host()[0];
    if (lost == 0) return {};
    return std::to_string(lost) + " entries found no room in the pool";
  }

  /// A level has each vertex once, in as many entries as its row has parts.
  std::uint32_t pool_capacity_;
  buffer<frontier_entry> pool_;
  buffer<std::uint32_t> counters_;
  buffer<std::uint32_t> lost_;
};

}  // namespace finesync::traversal
