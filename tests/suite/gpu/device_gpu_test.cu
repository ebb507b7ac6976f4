// Graphs of kernels, and barriers with hardware support, on a GPU.
#include "cluster_fixture.cuh"

#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch_graph.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <workloads/applications/libcudacxx_barrier.cuh>

#include <algorithm>

namespace finesync::test::device_gpu_test {
namespace {

class device_on_gpu : public on_gpu {};

__global__ void count(cell32* visits) {
  atomic_ref<std::uint32_t, scope::device>(*visits).fetch_add(1, memory_order::relaxed);
}

TEST_F(clusters_on_gpu, graph_runs_kernels_in_clusters) {
  const buffer<std::uint32_t> visits = zeroed_words(1);
  launch_graph graph;
  launch_independent(graph, count, {.blocks = 264, .threads_per_block = 64, .cluster_blocks = 8},
                     visits.device_data());
  graph.launch();
  EXPECT_EQ(visits.to_host()[0], 264u * 64);
}

TEST_F(device_on_gpu, refuses_more_shared_memory_than_a_block_can_have) {
  const std::size_t most = current_gpu().shared_bytes_per_block;
  const auto with = [&](std::size_t bytes) {
    const buffer<std::uint32_t> visits = zeroed_words(1);
    return refusal_of([&] {
      launch_cooperative(count, {.blocks = 1, .threads_per_block = 32, .shared_bytes = bytes},
                         visits.device_data());
    });
  };
  EXPECT_EQ(with(most), "");
  for (const std::size_t bytes : {most + 1, std::size_t{1} << 31, std::size_t{1} << 40})
    EXPECT_TRUE(with(bytes).ends_with("needs " + std::to_string(bytes))) << with(bytes);
  EXPECT_EQ(max_resident_blocks(count, 32, most + 1), 0u);
  EXPECT_GT(max_resident_blocks(count, 32, most), 0u);
  EXPECT_EQ(max_resident_blocks(count, 2048, 0), 0u);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(device_on_gpu, forgets_a_failed_call_that_it_has_reported) {
  EXPECT_THROW(check_cuda(cudaSetDevice(-1)), cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_NO_THROW(launch_cooperative(count, {.blocks = 1, .threads_per_block = 32},
                                     zeroed_words(1).device_data()));
  EXPECT_NO_THROW(stream().synchronize());
}

using slow_lock = ticket_lock<scope::device, no_backoff>;
constexpr unsigned wanted = 5;  ///< acquisitions of the locks

/// One thread of each block acquires the same lock repeatedly. It holds the lock for 10 ms; the
/// first thread holds it, if `for_good`, until all others have timed out.
__global__ void want_one_lock(lock_table_ref<slow_lock> locks, bool for_good,
                              watchdog_ref timeout) {
  const auto hold = [&] {
    const std::uint64_t end = global_time_ns() + 10'000'000;
    while (for_good ? !timeout.has_fired() : global_time_ns() < end) sleep_ns(1000);
  };
  while (run_exclusive<other_lanes::idle>(locks[wanted], hold, timeout.watching(wanted)) &&
         !timeout.has_fired()) {
  }
}

wait_report report_of_one_lock(bool for_good) {
  const lock_table<slow_lock> locks(wanted + 1, lock_layout::padded);
  const watchdog timeout(200'000'000);
  launch_cooperative(want_one_lock, {.blocks = 64, .threads_per_block = 1}, locks.ref(), for_good,
                     timeout.ref());
  return timeout.report().value();
}

TEST_F(device_on_gpu, watchdog_tells_stuck_from_slow) {
  for (const bool for_good : {true, false}) {
    const wait_report report = report_of_one_lock(for_good);
    EXPECT_LT(report.block, 64u);
    EXPECT_EQ(report.thread, 0u);
    EXPECT_EQ(report.what, awaited::lock);
    EXPECT_EQ(report.which, wanted);
    EXPECT_GE(report.waited_ns, 200'000'000u);
    EXPECT_EQ(report.hung(), for_good) << to_string(report);
  }
}

/// Block 0 stays away.
template <class BarrierRef>
__global__ void wait_for_block_0(BarrierRef barrier, std::uint32_t* gave_up,
                                 watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (blockIdx.x != 0 && !participant.wait()) gave_up[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// The library's own wait would never end. tests/library/barriers tries those of the catalogue.
TEST_F(device_on_gpu, libcudacxx_barrier_ends_the_wait_for_a_block_that_never_arrives) {
  const launch_shape shape{.blocks = 8, .threads_per_block = 64};
  const applications::libcudacxx_barrier barrier(shape);
  auto gave_up = buffer<std::uint32_t>::zeroed(shape.blocks * shape.threads_per_block);
  const watchdog timeout(20'000'000);
  launch_cooperative(wait_for_block_0<applications::libcudacxx_barrier::ref_type>, shape,
                     barrier.ref(), gave_up.raw_pointer(), timeout.ref());
  stream().synchronize();
  EXPECT_TRUE(timeout.fired());
  const std::vector<std::uint32_t> threads = gave_up.to_host();
  EXPECT_EQ(std::count(threads.begin(), threads.end(), 1u),
            (shape.blocks - 1) * shape.threads_per_block);
}

}  // namespace
}  // namespace finesync::test::device_gpu_test
