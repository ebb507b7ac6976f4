// The arithmetic loop that lengthens or replaces critical sections (ASPLOS'19, figure 9 and table
// 2).
#pragma once

#include <finesync/device/platform.cuh>
#include <finesync/device/ptx/do_not_optimize.cuh>

#include <cstdint>

namespace finesync::workload {

/// About 1,000 dependent cycles per unit, without memory traffic.
__device__ __forceinline__ void spend_arithmetic(std::uint32_t units) {
  // Integer multiply-adds, each dependent on the last; squares, as a compiler folds linear steps.
  constexpr std::uint32_t steps_per_unit = 224;  // measured: 4.44 cycles each on an H200
  std::uint32_t x = units;
  for (std::uint32_t i = 0; i < units * steps_per_unit; ++i) x = x * x + 12345u;
  do_not_optimize(x);
}

/// What a kernel adds to its sections. They are two types, so that the machine code of sections as
/// they are has no trace of the loop.
struct no_added_work {
  __device__ void spend() const {}
};
struct added_work {
  std::uint32_t units;
  __device__ void spend() const { spend_arithmetic(units); }
};

}  // namespace finesync::workload
