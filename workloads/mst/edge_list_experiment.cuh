// Boruvka's rounds over lists of edges, light ones first: the host's side of what all versions
// have in common, whoever keeps the minima.
#pragma once

#include "forest_experiment.cuh"

#include <finesync/host/buffer.cuh>
#include <workloads/mst/minimum/minimum.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::mst {

class edge_list_experiment : public forest_experiment {
 public:
  explicit edge_list_experiment(const run_config& config);

  bench::parameters effective_parameters() const override;

 protected:
  void begin() override;

  // What all versions do the same way, in a stream or in a graph of launches. Before each phase;
  // the records of its first level are cleared.
  template <class Queue>
  void launch_before_light(Queue& in) const;
  /// Only where there is a heavy phase.
  template <class Queue>
  void launch_before_heavy(Queue& in) const;
  /// Launches of a phase itself.
  virtual unsigned launches_of(phase which) const = 0;

  /// Of a level, at most: roots of the first round are every second vertex.
  std::uint32_t components() const { return graph().vertices() / 2; }
  key_records records() const { return {record_words(), components()}; }
  cell<std::uint64_t>* record_words() const { return records_.device_data(); }
  /// Whether there is a heavy phase.
  bool is_filtered() const;
  forest_ref ref() const;

 private:
  /// Blocks for all vertices, so many for each thread.
  launch_shape for_vertices(unsigned each) const;

  unsigned rank_;  ///< the sample whose weight is the threshold, in ascending order
  buffer<std::uint32_t> labels_;
  buffer<std::uint32_t> chains_;
  buffer<std::uint32_t> component_labels_;
  buffer<std::uint32_t> number_in_heavy_;
  buffer<edge> even_edges_;
  buffer<edge> odd_edges_;
  buffer<chunk> chunks_;
  buffer<std::uint32_t> row_of_tile_;
  buffer<std::uint64_t> long_row_keys_;
  buffer<std::uint32_t> long_row_vertices_;
  buffer<std::uint32_t> live_rows_;
  buffer<std::uint64_t> records_;
  zeroed_states<run_counters> counters_;
};

}  // namespace finesync::mst
