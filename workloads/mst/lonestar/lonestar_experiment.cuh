// The host side of levels.cuh; what keeps the sections of a component apart is left open.
#pragma once

#include "levels.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/host/gpu.cuh>
#include <workloads/common/observers/contention_observer.cuh>
#include <workloads/mst/forest_experiment.cuh>

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace finesync::mst {

class lonestar_experiment : public forest_experiment {
 public:
  bench::counters measure() final {
    reset();
    observed_.emplace(graph().vertices(), shape().blocks);
    launch();
    const bench::outcome ended = verify();
    const workload::contention_record record = *std::exchange(observed_, std::nullopt);
    bench::expect_ok(ended);
    return workload::counters_of(record, operations());
  }

 protected:
  explicit lonestar_experiment(const run_config& config);

  void begin() override;
  void start() final;
  /// Queues the proposals of a level, under the observer in observed() if there is one.
  virtual void start_proposals(const lonestar_run& run, const level_lists& lists,
                               std::uint32_t level) = 0;
  const std::optional<workload::contention_record>& observed() const { return observed_; }

 private:
  std::uint32_t section_work_;
  buffer<std::uint32_t> parents_;
  buffer<std::uint32_t> weights_;  ///< this and the next two: by component
  buffer<std::uint32_t> levels_;
  buffer<std::uint32_t> arcs_;
  buffer<std::uint32_t> forest_size_;
  append_list vertices_;
  append_list next_;
  append_list roots_;
  append_list failed_;
  launch_shape union_shape_;
  autotuned_barrier barrier_;
  std::optional<workload::contention_record> observed_;
};

}  // namespace finesync::mst
