#include "barrier_experiment.cuh"

#include <finesync/barriers/cluster_barrier.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::barrier {

namespace {

using experiment_by_clusters = barrier_experiment<cluster_barrier>;

/// The configured grid rounded down to whole clusters.
launch_shape in_clusters(const run_config& config, unsigned cluster_blocks) {
  const unsigned blocks = config.blocks_per_sm * workload::sms_of_grid(config);
  return {.blocks = blocks - blocks % cluster_blocks,
          .threads_per_block = config.threads_per_block,
          .cluster_blocks = cluster_blocks};
}

launch_shape shape_of(const run_config& config) {
  if (config.cluster_blocks != 0) return in_clusters(config, config.cluster_blocks);
  for (const unsigned most : {16u, 8u, 4u}) {
    const launch_shape shape = in_clusters(config, most);
    if (shape.blocks != 0 && shape.blocks <= experiment_by_clusters::resident(config, most))
      return shape;
  }
  return in_clusters(config, 2);
}

}  // namespace

std::unique_ptr<bench::experiment> make_cluster(const run_config& config) {
  const launch_shape shape = shape_of(config);
  const unsigned resident = experiment_by_clusters::resident(config, shape.cluster_blocks);
  if (shape.blocks > resident || shape.blocks == 0) refuse_launch(shape, resident);
  return std::make_unique<experiment_by_clusters>(shape, config);
}

}  // namespace finesync::barrier
