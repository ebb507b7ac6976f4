// Either machine: a graph of kernels runs as their sequence, with the arguments from the time of
// each append; a repeated one until a kernel ends that.
#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch_graph.cuh>
#include <finesync/host/repeated_graph.cuh>
#include <finesync/host/watchdog.cuh>

#include <tests/either_machine.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace finesync::test::launch_graph_test {
namespace {

using cell32 = cell<std::uint32_t>;
using device_ref = atomic_ref<std::uint32_t, scope::device>;

class a_graph : public either_machine {};
class a_repeated_graph : public either_machine {};

/// Only the right kernel at the right time leaves `step + 1`.
__global__ void take_step(cell32* at, std::uint32_t step) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0 && *at == step) *at = step + 1;
}

constexpr launch_shape shape{.blocks = 3, .threads_per_block = 32};

TEST_F(a_graph, runs_its_kernels_in_order) {
  const auto at = buffer<std::uint32_t>::zeroed(1);
  launch_graph graph;
  for (std::uint32_t step = 0; step < 100; ++step)
    launch_independent(graph, take_step, shape, at.device_data(), step);
  EXPECT_EQ(at.to_host()[0], 0u) << "nothing runs before it is launched";
  graph.launch();
  EXPECT_EQ(at.to_host()[0], 100u);
}

__global__ void count(cell32* visits) {
  device_ref(*visits).fetch_add(1, memory_order::relaxed);
}

TEST_F(a_graph, can_be_launched_again_and_among_other_launches) {
  const auto visits = buffer<std::uint32_t>::zeroed(1);
  launch_graph graph;
  launch_independent(graph, count, shape, visits.device_data());
  launch_independent(graph, count, {.blocks = 1, .threads_per_block = 4}, visits.device_data());
  graph.launch();
  launch_cooperative(count, shape, visits.device_data());
  graph.launch();
  EXPECT_EQ(visits.to_host()[0], 2 * (96 + 4) + 96u);
  launch_independent(graph, count, {.blocks = 1, .threads_per_block = 7}, visits.device_data());
  graph.launch();
  EXPECT_EQ(visits.to_host()[0], 3 * (96 + 4) + 96u + 7u);
}

__global__ void report(cell32* out, std::uint64_t wide, std::uint32_t narrow) {
  out[0] = static_cast<std::uint32_t>(wide >> 32);
  out[1] = narrow;
}

TEST_F(a_graph, copies_and_converts_arguments) {
  const auto out = buffer<std::uint32_t>::zeroed(2);
  launch_graph graph;
  {
    auto narrow = std::make_unique<std::uint32_t>(7);
    auto wide = std::make_unique<std::uint64_t>(std::uint64_t{5} << 32);
    launch_independent(graph, report, {.threads_per_block = 1}, out.device_data(), *wide, *narrow);
    *narrow = 0;
    *wide = 0;
  }
  graph.launch();
  EXPECT_EQ(out.to_host(), (std::vector<std::uint32_t>{5, 7}));
}

TEST_F(a_graph, refuses_impossible_shapes_when_they_are_appended) {
  const auto visits = buffer<std::uint32_t>::zeroed(1);
  launch_graph graph;
  for (const launch_shape& impossible :
       {launch_shape{.blocks = 0}, launch_shape{.threads_per_block = 1025},
        launch_shape{.shared_bytes = 1 << 20}}) {
    EXPECT_THROW(launch_independent(graph, count, impossible, visits.device_data()), launch_error);
  }
  graph.launch();
  EXPECT_EQ(visits.to_host()[0], 0u);
}

__global__ void meet(counter_barrier::ref_type barrier, cell32* met, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (participant.wait() && threadIdx.x == 0) device_ref(*met).fetch_add(1, memory_order::relaxed);
}

TEST_F(a_graph, has_kernels_whose_blocks_wait_for_each_other) {
  const counter_barrier barrier(shape, {});
  const auto met = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout;
  launch_graph graph;
  for (int i = 0; i < 2; ++i)
    launch_cooperative(graph, meet, shape, barrier.ref(), met.device_data(), timeout.ref());
  graph.launch();
  EXPECT_FALSE(timeout.fired());
  EXPECT_EQ(met.to_host()[0], 6u);
}

TEST_F(a_graph, refuses_blocks_that_wait_for_each_other_and_do_not_fit) {
  const auto visits = buffer<std::uint32_t>::zeroed(1);
  const launch_shape one_too_many{.blocks = max_resident_blocks(count, 32) + 1,
                                  .threads_per_block = 32};
  launch_graph graph;
  EXPECT_THROW(launch_cooperative(graph, count, one_too_many, visits.device_data()), launch_error);
  launch_independent(graph, count, one_too_many, visits.device_data());
  graph.launch();
  EXPECT_EQ(visits.to_host()[0], one_too_many.blocks * 32);
}

__global__ void end_after(cell32* passes, std::uint32_t number, repetition_ref repetition) {
  const std::uint32_t passed = *passes + 1;
  *passes = passed;
  if (passed % number == 0) repetition.end();
}

TEST_F(a_repeated_graph, runs_its_chain_until_a_kernel_ends_that_and_the_pass_to_its_end) {
  const auto passes = buffer<std::uint32_t>::zeroed(1);
  const auto visits = buffer<std::uint32_t>::zeroed(1);
  repeated_graph graph;
  launch_independent(graph, end_after, {.threads_per_block = 1}, passes.device_data(), 5u,
                     graph.repetition());
  launch_independent(graph, count, {.threads_per_block = 4}, visits.device_data());
  graph.launch();
  EXPECT_EQ(passes.to_host()[0], 5u);
  EXPECT_EQ(visits.to_host()[0], 5 * 4u);
  graph.launch();
  EXPECT_EQ(passes.to_host()[0], 10u) << "each launch begins anew";
  EXPECT_EQ(visits.to_host()[0], 10 * 4u);
}

TEST_F(a_repeated_graph, runs_its_chain_once_if_the_first_pass_ends_it) {
  const auto passes = buffer<std::uint32_t>::zeroed(1);
  repeated_graph graph;
  launch_independent(graph, end_after, {.threads_per_block = 1}, passes.device_data(), 1u,
                     graph.repetition());
  graph.launch();
  EXPECT_EQ(passes.to_host()[0], 1u);
}

}  // namespace
}  // namespace finesync::test::launch_graph_test
