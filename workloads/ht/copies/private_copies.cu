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
  const std::uint32_t keys = config.problem.table_size;
  const unsigned blocks = config.cluster_blocks != 0 ? config.cluster_blocks
                          : config.section == section_kind::count
                              ? fastest_set_blocks<merging_counts>(keys)
                              : fastest_set_blocks<merging_pushes>(keys);
  switch (blocks) {
    case 1:
      return with_copies<1>(config);
    case 2:
      return with_copies<2>(config);
    default:
      throw bench::infeasible("with " + std::to_string(keys) +
                              " entries lockfree and cached_copies are faster");
  }
}

}  // namespace finesync::ht
