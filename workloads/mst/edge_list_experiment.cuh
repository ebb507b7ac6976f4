// Boruvka's rounds over edge lists, light edges first: the host code that all versions share.
#pragma once

#include "forest_experiment.cuh"

#include <finesync/host/buffer.cuh>
#include <workloads/mst/minimum/minimum.cuh>
#include <workloads/mst/phases/forest_ref.cuh>
#include <workloads/mst/phases/settling_grid.cuh>

#include <cstdint>

namespace finesync::mst {

class edge_list_experiment : public forest_experiment {
 public:
  explicit edge_list_experiment(const run_config& config);

  bench::parameters effective_parameters() const override;

 protected:
  void begin() override;

  // The launches that precede each phase, into a stream or a launch graph. They clear the records
  // of the phase's first level.
  template <class Queue>
  void launch_before_light(Queue& in) const;
  /// Call it only if there is a heavy phase.
  template <class Queue>
  void launch_before_heavy(Queue& in) const;
  /// Number of launches of the phase itself.
  virtual unsigned launches_of(phase which) const = 0;

  /// Upper bound for a level: at most every second vertex is a root of the first round.
  std::uint32_t components() const { return graph().vertices() / 2; }
  key_records records() const { return {record_words(), components()}; }
  cell<std::uint64_t>* record_words() const { return records_.device_data(); }
  const settling_grid& settling() const { return settling_; }
  /// Whether there is a heavy phase.
  bool is_filtered() const;
  forest_ref ref() const;

 private:
  /// Blocks for all vertices, with `each` vertices per thread.
  launch_shape for_vertices(unsigned each) const;

  unsigned rank_;  ///< rank of the threshold among the samples, in ascending order
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
  settling_grid settling_;
};

}  // namespace finesync::mst
