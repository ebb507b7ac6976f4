#include "copies_experiment.cuh"

#include <finesync/private_copies/private_copies.cuh>

#include <cstddef>
#include <memory>
#include <string>

namespace finesync::ht {

namespace {

template <unsigned Blocks>
struct in_clusters {
  template <class Service>
  using copies = private_copies<Service, Blocks>;
};

template <unsigned Blocks>
std::unique_ptr<bench::experiment> with_copies(const run_config& config) {
  const std::uint32_t keys = config.problem.table_size;
  const std::size_t room = current_gpu().shared_bytes_per_block;
  const std::size_t needed = private_copies<merging_pushes, Blocks>::shared_bytes(keys);
  if (needed > room)
    throw bench::infeasible("a block's copies of " + std::to_string(keys) + " entries need " +
                            std::to_string(needed) + " bytes of shared memory, and it has " +
                            std::to_string(room));
  return std::make_unique<copies_experiment<in_clusters<Blocks>::template copies, Blocks>>(config,
                                                                                           keys);
}

}  // namespace

std::unique_ptr<bench::experiment> make_private_copies(const run_config& config) {
  switch (config.cluster_blocks) {
    case 1:
      return with_copies<1>(config);
    case 2:
      return with_copies<2>(config);
    case 4:
      return with_copies<4>(config);
    case 8:
      return with_copies<8>(config);
    default:
      throw bench::infeasible("private_copies runs in clusters of 1, 2, 4 or 8 blocks");
  }
}

}  // namespace finesync::ht
