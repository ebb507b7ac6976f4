// Counts of a batch that is in memory, by one histogram of the library that comes with CUDA.
#include "counters.hpp"
#include "table.cuh"

#include <bench/experiment.hpp>
#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/stream.cuh>
#include <workloads/common/outcomes.hpp>

#include <cub/device/device_histogram.cuh>

#include <cstddef>
#include <memory>

namespace finesync::ht {

namespace {

__global__ void draw_entries(problem what, cell<std::uint32_t>* entry) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gridDim.x * blockDim.x)
    entry[i] = entry_of(what, i);
}

class histogram_experiment final : public bench::experiment {
 public:
  explicit histogram_experiment(const run_config& config)
      : what_(config.problem), batch_(what_.inserts), counters_(what_), scratch_(scratch_bytes()) {
    launch_independent(draw_entries, shape_over(what_.inserts), what_, batch_.device_data());
    batch_.keep();
  }

  void reset() override { counters_.reset(); }

  void launch() override {
    std::size_t bytes = scratch_.size();
    count(scratch_.raw_pointer(), bytes);
  }

  bench::outcome verify() override {
    const counters_check found = counters_.check();
    return workload::wrong_unless(found.passed(what_), found.describe(what_));
  }

  /// CUB chooses its grids.
  bench::parameters effective_parameters() const override { return {}; }
  double operations() const override { return what_.inserts; }

 private:
  /// \param scratch null: only sets `bytes` to the size that it needs.
  void count(void* scratch, std::size_t& bytes) {
    check_cuda(cub::DeviceHistogram::HistogramEven(
        scratch, bytes, batch_.raw_pointer(), counters_.device_data(),
        static_cast<int>(what_.table_size) + 1, 0u, what_.table_size,
        static_cast<int>(what_.inserts), stream().handle()));
  }
  std::size_t scratch_bytes() {
    std::size_t bytes = 0;
    count(nullptr, bytes);
    return bytes;
  }

  problem what_;
  buffer<std::uint32_t> batch_;
  counters counters_;
  buffer<unsigned char> scratch_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_device_histogram(const run_config& config) {
  if (config.section != section_kind::count || config.section_work != 0)
    throw bench::infeasible("a histogram only counts: use --section count --section-work 0");
  return std::make_unique<histogram_experiment>(config);
}

}  // namespace finesync::ht
