#include "copies_experiment.cuh"

#include <finesync/private_copies/cached_copies.cuh>

#include <bit>
#include <memory>

namespace finesync::ht {

std::unique_ptr<bench::experiment> make_cached_copies(const run_config& config) {
  // As many as fit, of all blocks that shall share an SM.
  const std::size_t room =
      current_gpu().shared_bytes_per_block / std::max(1u, config.blocks_per_sm);
  const auto most =
      static_cast<std::uint32_t>(room / cached_copies<merging_pushes>::shared_bytes(1));
  return std::make_unique<copies_experiment<cached_copies>>(config, std::bit_floor(most));
}

}  // namespace finesync::ht
