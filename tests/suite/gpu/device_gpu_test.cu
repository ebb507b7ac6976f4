// Graphs of kernels, and barriers with hardware support, on a GPU.
#include "cluster_fixture.cuh"

#include <finesync/barriers/cluster_barrier.cuh>
#include <finesync/barriers/cooperative_groups_barrier.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch_graph.cuh>
#include <finesync/host/repeated_graph.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/ticket_lock.cuh>

#include <utility>

namespace finesync::test::device_gpu_test {
namespace {

class device_on_gpu : public on_gpu {};

/// Only the right kernel at the right time leaves `step + 1`.
__global__ void take_step(cell32* at, std::uint32_t step) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0 && *at == step) *at = step + 1;
}

std::uint32_t steps_taken(bool forwards, unsigned cluster_blocks) {
  const buffer<std::uint32_t> at = zeroed_words(1);
  launch_graph graph;
  for (std::uint32_t i = 0; i < 100; ++i) {
    launch_independent(graph, take_step,
                       {.blocks = 264, .threads_per_block = 64, .cluster_blocks = cluster_blocks},
                       at.device_data(), forwards ? i : 99 - i);
  }
  graph.launch();
  return at.to_host()[0];
}

TEST_F(device_on_gpu, graph_runs_its_kernels_in_order) {
  EXPECT_EQ(steps_taken(true, 1), 100u);
  EXPECT_EQ(steps_taken(false, 1), 1u);
}

TEST_F(clusters_on_gpu, graph_runs_kernels_in_clusters) {
  EXPECT_EQ(steps_taken(true, 8), 100u);
}

__global__ void count(cell32* visits) {
  atomic_ref<std::uint32_t, scope::device>(*visits).fetch_add(1, memory_order::relaxed);
}

TEST_F(device_on_gpu, graph_can_be_launched_again_and_among_other_launches) {
  const buffer<std::uint32_t> visits = zeroed_words(1);
  launch_graph graph;
  launch_independent(graph, count, {.blocks = 3, .threads_per_block = 32}, visits.device_data());
  graph.launch();
  launch_cooperative(count, {.blocks = 1, .threads_per_block = 4}, visits.device_data());
  graph.launch();
  EXPECT_EQ(visits.to_host()[0], 2 * 96 + 4u);
  launch_independent(graph, count, {.blocks = 1, .threads_per_block = 7}, visits.device_data());
  graph.launch();
  EXPECT_EQ(visits.to_host()[0], 3 * 96 + 4u + 7u);
  EXPECT_THROW(launch_independent(graph, count, {.blocks = 0}, visits.device_data()), launch_error);
}

__global__ void end_after(cell32* passes, std::uint32_t number, repetition_ref repetition) {
  const std::uint32_t passed = *passes + 1;
  *passes = passed;
  if (passed % number == 0) repetition.end();
}

TEST_F(device_on_gpu, repeated_graph_runs_until_a_kernel_ends_that) {
  const buffer<std::uint32_t> passes = zeroed_words(1);
  const buffer<std::uint32_t> visits = zeroed_words(1);
  repeated_graph graph;
  launch_independent(graph, end_after, {.blocks = 1, .threads_per_block = 1}, passes.device_data(),
                     100u, graph.repetition());
  launch_independent(graph, count, {.blocks = 3, .threads_per_block = 32}, visits.device_data());
  for (const std::uint32_t launches : {1u, 2u}) {
    graph.launch();
    EXPECT_EQ(passes.to_host()[0], launches * 100);
    EXPECT_EQ(visits.to_host()[0], launches * 100 * 96);
  }
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

/// Every thread reads a word that another block wrote before the barrier; some blocks are late.
template <class BarrierRef>
__global__ void __maxnreg__(32) meet_at(BarrierRef barrier, cell32* slots, cell32* wrong,
                                        unsigned rounds, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    cell32* const now = slots + (round & 1) * threads;
    if ((blockIdx.x + round) % 61 == 0) sleep_ns(3000);
    now[me] = round * threads + me;
    if (!participant.wait()) return;
    const unsigned other = (me + blockDim.x + round * 7919) % threads;
    if (now[other] != round * threads + other) *wrong = 1;
  }
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

/// Never blocks.
class open_door {
 public:
  struct participant {
    __device__ bool wait() { return true; }
  };
  struct ref_type {
    __device__ participant join(const watchdog_ref&) const { return {}; }
  };
  explicit open_door(const launch_shape&) {}
  ref_type ref() const { return {}; }
};

enum class queued { in_stream, in_graph };

template <class Barrier>
bool keeps_rounds_apart(unsigned threads_per_block, unsigned cluster_blocks,
                        queued where = queued::in_stream) {
  const auto kernel = meet_at<decltype(std::declval<Barrier>().ref())>;
  const unsigned blocks = max_resident_blocks(kernel, threads_per_block, 0, cluster_blocks);
  const launch_shape shape{
      .blocks = blocks, .threads_per_block = threads_per_block, .cluster_blocks = cluster_blocks};
  const Barrier barrier(shape);
  const watchdog timeout;
  const buffer<std::uint32_t> slots = zeroed_words(2 * std::size_t{blocks} * threads_per_block);
  const buffer<std::uint32_t> wrong = zeroed_words(1);
  launch_graph graph;
  for (int launch = 0; launch < 3; ++launch) {
    const auto queue_in = [&](auto&& queue) {
      launch_cooperative(queue, kernel, shape, barrier.ref(), slots.device_data(),
                         wrong.device_data(), 100u, timeout.ref());
    };
    if (where == queued::in_graph)
      queue_in(graph);
    else
      queue_in(stream());
  }
  if (where == queued::in_graph) graph.launch();
  return wrong.to_host()[0] == 0 && !timeout.fired();
}

TEST_F(device_on_gpu, cooperative_groups_barrier_keeps_rounds_apart) {
  for (const unsigned threads : {32u, 64u, 1024u}) {
    EXPECT_TRUE(keeps_rounds_apart<cooperative_groups_barrier>(threads, 1)) << threads;
    EXPECT_FALSE(keeps_rounds_apart<open_door>(threads, 1)) << threads;
  }
}

TEST_F(device_on_gpu, cooperative_kernels_of_a_graph_keep_rounds_apart) {
  EXPECT_TRUE(keeps_rounds_apart<cooperative_groups_barrier>(64, 1, queued::in_graph));
  EXPECT_FALSE(keeps_rounds_apart<open_door>(64, 1, queued::in_graph));
}

TEST_F(clusters_on_gpu, cluster_barrier_keeps_rounds_apart) {
  for (const unsigned size : cluster_sizes()) {
    for (const unsigned threads : {1u, 33u, 256u, 1024u}) {
      EXPECT_TRUE(keeps_rounds_apart<cluster_barrier>(threads, size)) << size << ", " << threads;
    }
  }
}

}  // namespace
}  // namespace finesync::test::device_gpu_test
