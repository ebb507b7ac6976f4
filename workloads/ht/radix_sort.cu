// The inserts of a batch that is in memory, by one sort of the library that comes with CUDA.
#include "sorted_table.hpp"
#include "table.hpp"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/stream.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>

#include <cub/device/device_radix_sort.cuh>

#include <bit>
#include <cstddef>
#include <memory>

namespace finesync::ht {

namespace {

/// Verification makes lists of the table, and checks them as those of all other primitives.
class sort_experiment final : public bench::experiment {
 public:
  explicit sort_experiment(const run_config& config)
      : what_(config.problem), lists_(what_), sorted_(what_), scratch_(scratch_bytes()) {}

  void reset() override {
    lists_.reset();
    sorted_.reset();
  }

  void launch() override {
    std::size_t bytes = scratch_.size();
    sort(scratch_.raw_pointer(), bytes);
    sorted_.find_first();
  }

  bench::outcome verify() override {
    sorted_.link(lists_.ref());
    const table_check found = lists_.check();
    return workload::wrong_unless(found.passed(what_), found.describe(what_));
  }

  /// CUB chooses the grids of its sort.
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(sorted_.search_shape());
    workload::add_parameter(effective, "sorted_bits", sorted_bits());
    return effective;
  }
  double operations() const override { return what_.inserts; }

 private:
  unsigned sorted_bits() const {
    return static_cast<unsigned>(std::bit_width(what_.table_size - 1));
  }

  /// \param scratch null: only sets `bytes` to the size that it needs.
  void sort(void* scratch, std::size_t& bytes) {
    check_cuda(cub::DeviceRadixSort::SortPairs(
        scratch, bytes, sorted_.batch_entries().raw_pointer(), sorted_.entries().raw_pointer(),
        sorted_.batch_nodes().raw_pointer(), sorted_.nodes().raw_pointer(), what_.inserts, 0,
        static_cast<int>(sorted_bits()), stream().handle()));
  }
  std::size_t scratch_bytes() {
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    return bytes;
  }

  problem what_;
  table lists_;
  sorted_table sorted_;
  buffer<unsigned char> scratch_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_radix_sort(const run_config& config) {
  if (config.section != section_kind::push || config.section_work != 0)
    throw bench::infeasible("a sort has no sections: use --section push --section-work 0");
  return std::make_unique<sort_experiment>(config);
}

}  // namespace finesync::ht
