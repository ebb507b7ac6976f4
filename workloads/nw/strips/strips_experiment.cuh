// The host side of strips.cuh.
#pragma once

#include "strips.cuh"

#include <finesync/host/buffer.cuh>
#include <workloads/nw/alignment_experiment.cuh>

#include <algorithm>
#include <bit>

namespace finesync::nw {

template <class Sizes>
class strips_experiment final : public alignment_experiment {
 public:
  /// Whether blocks on the current GPU can have this much shared memory.
  static bool fits() { return resident(1) != 0; }

  explicit strips_experiment(const run_config& config)
      : alignment_experiment(config),
        plan_(plan_of(what())),
        between_(plan_.strips * plan_.words_of_row()),
        shape_(shape_of(plan_.strips, config.cluster_blocks)) {
    plan_.rows_between = between_.device_data();
  }

 protected:
  void begin() override { between_.fill_bytes(0xff); }
  void start(const task& /*what*/) override {
    launch_cooperative(fill_strips<Sizes>, shape_, plan_, timeout());
  }
  launch_shape shape() const override { return shape_; }

 private:
  static strip_plan plan_of(const task& what) {
    const auto of = [](unsigned all, unsigned each) { return (all + each - 1) / each; };
    return {.what = what,
            .strips = of(what.scores.rows, rows_of_strip),
            .groups = steps_of_stage * of(what.scores.columns, columns_of_stage),
            .rows_between = nullptr};
  }
  /// One cluster for all strips if it fits. If blocks take several strips each, smaller clusters:
  /// they fit on more SMs, which then matters more.
  static unsigned usual_cluster(unsigned strips) {
    constexpr unsigned most = 16, usual = 8, of_many = 2;
    unsigned cluster = strips <= most ? std::bit_ceil(strips) : usual;
    while (cluster > 1 && resident(cluster) == 0) cluster /= 2;
    return strips > resident(cluster) / 2 * 3 ? std::min(cluster, of_many) : cluster;
  }
  static launch_shape shape_of(unsigned strips, unsigned asked) {
    const unsigned cluster = asked == 0 ? usual_cluster(strips) : asked;
    const unsigned wanted = (strips + cluster - 1) / cluster * cluster;
    const unsigned fitting = resident(cluster);
    if (fitting == 0)
      throw bench::infeasible("clusters of " + std::to_string(cluster) + " blocks do not fit");
    return checked({.blocks = std::min(wanted, fitting),
                    .threads_per_block = lanes * warps_of_strip,
                    .shared_bytes = sizeof(strip_storage<Sizes>),
                    .cluster_blocks = cluster});
  }
  static unsigned resident(unsigned cluster) {
    return max_resident_blocks(fill_strips<Sizes>, lanes * warps_of_strip,
                               sizeof(strip_storage<Sizes>), cluster);
  }

  strip_plan plan_;
  buffer<std::uint32_t> between_;
  launch_shape shape_;
};

}  // namespace finesync::nw
