// The experiment in which blocks run the sections on private copies, and merge these at the end.
#pragma once

#include "merging_services.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/common/grid.cuh>
#include <workloads/ht/insert_experiment.cuh>

#include <algorithm>
#include <cstdint>

namespace finesync::ht {

/// Whether copies run several sections at once.
template <class Copies>
concept runs_batches = requires(const Copies& copies, const std::uint32_t (&batch)[1]) {
  copies.run(batch, batch);
};

/// \param extent of the copies: their number of keys, or of places.
template <class Copies, class Service>
__global__ void __launch_bounds__(1024)
    insert_merging(problem what, Service service, std::uint32_t extent) {
  assume_one_dimension();
  const Copies copies(extent, service, shared_bytes());
  const std::uint32_t threads = gridDim.x * blockDim.x;
  std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if constexpr (runs_batches<Copies>) {
    constexpr unsigned at_once = 4;
    for (; i + (at_once - 1) * threads < what.inserts; i += at_once * threads) {
      std::uint32_t entries[at_once];
      std::uint32_t nodes[at_once];
      for (unsigned k = 0; k < at_once; ++k) {
        nodes[k] = i + k * threads;
        entries[k] = entry_of(what, nodes[k]);
      }
      copies.run(entries, nodes);
    }
  }
  for (; i < what.inserts; i += threads) copies.run(entry_of(what, i), i);
  copies.merge();
}

/// \tparam Copies a template over the service. \tparam Blocks of a set of copies.
template <template <class> class Copies, unsigned Blocks = 1>
class copies_experiment final : public insert_experiment {
 public:
  /// \param extent of the copies: their number of keys, or of places.
  copies_experiment(const run_config& options, std::uint32_t extent)
      : insert_experiment(options, shape_of(options, extent)),
        extent_(extent),
        last_(options.section == section_kind::push
                  ? std::size_t{Copies<merging_pushes>::places(extent)} * shape().blocks / Blocks
                  : 1) {}

  /// There is no lock to measure.
  bench::counters measure() override { return {}; }

 private:
  static launch_shape shape_of(const run_config& options, std::uint32_t extent) {
    launch_shape block{.threads_per_block = options.threads_per_block,
                       .shared_bytes = Copies<merging_pushes>::shared_bytes(extent),
                       .cluster_blocks = Blocks};
    const unsigned resident =
        workload::resident_of_all(block, insert_merging<Copies<merging_pushes>, merging_pushes>,
                                  insert_merging<Copies<merging_counts>, merging_counts>);
    // Clusters need not come to a whole number for each SM.
    if constexpr (Blocks > 1) {
      block.blocks = std::min(resident, options.blocks_per_sm * workload::sms_of_grid(options));
      block.blocks -= block.blocks % Blocks;
      if (block.blocks == 0) refuse_launch(block, resident);
      return block;
    } else {
      return workload::grid_of(options, resident, block.shared_bytes);
    }
  }

  void start_pushes() override {
    start(merging_pushes{lists(), last_.device_data(), config().section_work});
  }
  void start_counts() override { start(merging_counts{entry_counters(), config().section_work}); }

  template <class Service>
  void start(const Service& service) {
    launch_independent(insert_merging<Copies<Service>, Service>, shape(), config().problem, service,
                       extent_);
  }

  std::uint32_t extent_;
  buffer<std::uint32_t> last_;
};

}  // namespace finesync::ht
