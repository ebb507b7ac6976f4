// A grid that fills a GTX 1080 Ti runs on a small computer: all its 57,344 threads at once, in a
// bounded amount of memory.
#include "harness.hpp"

#include <finesync/device/shared_storage.cuh>

#include <fstream>
#include <sstream>

namespace simt_test::capacity_test {
namespace {

constexpr unsigned blocks = 56;
constexpr unsigned threads = 1024;

/// Every thread is alive until the last has arrived.
__global__ void meet_all(cell32* arrived, cell32* sum) {
  cell32* shared = &shared_storage<cell32>();
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const std::uint32_t mine = shared[blockDim.x - 1 - threadIdx.x];
  device_ref all(*arrived);
  all.fetch_add(1, memory_order::acq_rel);
  while (all.load(memory_order::acquire) < gridDim.x * blockDim.x) {
  }
  const std::uint32_t pair = mine + __shfl_xor_sync(full_warp, mine, 1);
  if (threadIdx.x % 2 == 0) device_ref(*sum).fetch_add(pair, memory_order::relaxed);
}

/// A line of the operating system's statistics of this process, in MB.
double process_mb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) != 0) continue;
    double kb = 0;
    std::istringstream(line.substr(name.size() + 1)) >> kb;
    return kb / 1024;
  }
  ADD_FAILURE() << "no " << name << " in /proc/self/status";
  return 0;
}

void run_full_grid() {
  const auto [arrived, sum] = words_after(
      meet_all, {.blocks = blocks, .threads_per_block = threads, .shared_bytes = 4 * threads},
      {1, 1});
  EXPECT_EQ(arrived[0], blocks * threads);
  EXPECT_EQ(sum[0], blocks * (threads * (threads - 1) / 2));
}

TEST(capacity, a_full_gtx_1080_ti_runs_at_once_in_less_than_600_mb) {
  const simt::scoped_settings use(on_gpu("gtx1080ti"));
  EXPECT_EQ(max_resident_blocks(meet_all, threads, 4 * threads), blocks);
  const double before = process_mb("VmHWM");
  run_full_grid();
  const double first = process_mb("VmHWM");
  EXPECT_LT(first - before, 600);
  EXPECT_GT(first - before, 57) << "57,344 stacks cannot be smaller: is this measured?";
  for (int again = 0; again < 3; ++again) run_full_grid();
  EXPECT_LT(process_mb("VmHWM") - first, 60) << "a launch must reuse the memory of the one before";
}

}  // namespace
}  // namespace simt_test::capacity_test
