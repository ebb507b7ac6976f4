#include "counters.hpp"
#include "table.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/launch.cuh>

#include <cstddef>
#include <vector>

namespace finesync::ht {

namespace {

__global__ void count_inserts(problem what, cell<std::uint32_t>* drawn) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gridDim.x * blockDim.x)
    atomic_ref<std::uint32_t, scope::device>(drawn[entry_of(what, i)])
        .fetch_add(1, memory_order::relaxed);
}

}  // namespace

std::string counters_check::describe(const problem& what) const {
  return std::to_string(counted) + " of " + std::to_string(what.inserts) + " counted, " +
         std::to_string(wrong) + " entries with a wrong count, " + std::to_string(repeated) +
         " counted on two GPUs";
}

counters::counters(const problem& what, const stream& on)
    : what_(what), counts_(buffer<std::uint32_t>::zeroed(what.table_size, on)) {}

counters_check counters::check(const problem& what,
                               std::span<const std::vector<std::uint32_t>> of_gpus,
                               const stream& on) {
  const auto drawn = buffer<std::uint32_t>::zeroed(what.table_size, on);
  launch_independent(on, count_inserts, shape_over(what.inserts), what, drawn.device_data());
  counters_check found{};
  std::vector<std::uint32_t> counted(what.table_size, 0);
  for (const std::vector<std::uint32_t>& counts : of_gpus) {
    for (std::size_t entry = 0; entry < counts.size(); ++entry) {
      if (counts[entry] == 0) continue;
      found.counted += counts[entry];
      found.repeated += counted[entry] != 0;
      counted[entry] += counts[entry];
    }
  }
  const auto wanted = drawn.to_host();
  for (std::size_t entry = 0; entry < wanted.size(); ++entry)
    found.wrong += counted[entry] != wanted[entry];
  return found;
}

}  // namespace finesync::ht
