#include "barrier_experiment.cuh"

#include <finesync/barriers/cluster_barrier.cuh>
#include <finesync/host/gpu.cuh>

#include <memory>

namespace finesync::barrier {

namespace {

using experiment_by_clusters = barrier_experiment<cluster_barrier>;

/// The setup's grid in whole clusters: up to one cluster less a block smaller than asked for.
launch_shape in_clusters(const setup& how, unsigned cluster_blocks) {
  const unsigned blocks = how.blocks_per_sm * static_cast<unsigned>(current_gpu().sms);
  return {.blocks = blocks - blocks % cluster_blocks,
          .threads_per_block = how.threads_per_block,
          .cluster_blocks = cluster_blocks};
}

launch_shape shape_of(const setup& how) {
  if (how.cluster_blocks != 0) return in_clusters(how, how.cluster_blocks);
  for (const unsigned most : {16u, 8u, 4u}) {
    const launch_shape shape = in_clusters(how, most);
    if (shape.blocks != 0 && shape.blocks <= experiment_by_clusters::resident(how, most))
      return shape;
  }
  return in_clusters(how, 2);
}

}  // namespace

std::unique_ptr<bench::experiment> make_cluster(const setup& how) {
  const launch_shape shape = shape_of(how);
  const unsigned resident = experiment_by_clusters::resident(how, shape.cluster_blocks);
  check_clusters(shape, resident != 0);
  if (shape.blocks > resident || shape.blocks == 0) refuse_launch(shape, resident);
  return std::make_unique<experiment_by_clusters>(shape, how);
}

}  // namespace finesync::barrier
