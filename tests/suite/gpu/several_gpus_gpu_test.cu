// Servers and reports of several GPUs on the device: on two GPUs where there are two, and as two
// grids on one. The programs' barriers and locks are in programs_gpu_test.cu.
#include "gpu_fixture.hpp"

#include <finesync/several_gpus/gpus_barrier.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>

#include <tests/library/several_gpus/gpus_delivery.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace finesync::test::several_gpus_gpu_test {
namespace {

constexpr unsigned threads = 64;

__global__ void wait_for_absent(gpus_barrier::ref_type barrier, unsigned me, unsigned absent,
                                watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (me == 1 && blockIdx.x == absent) return;
  participant.wait();
}

void expect_absent_block_named(const std::vector<int>& devices) {
  const peers all{std::span<const int>(devices)};
  const launch_shape shape{.blocks = 4, .threads_per_block = threads};
  gpus_barrier barrier(all, shape, {});
  const gpus_watchdog timeout(all, 50'000'000);
  launch_together(all.streams(), wait_for_absent, shape, [&](unsigned me) {
    return std::tuple(barrier.ref(me), me, 2u, timeout.ref(me));
  });
  const auto report = timeout.report();
  ASSERT_TRUE(report.has_value());
  const std::string text = to_string(*report);
  EXPECT_GT(text.find("block 2 never arrived"), text.find("GPU 1: ")) << text;
  EXPECT_NE(text.find("block 2 never arrived"), std::string::npos) << text;
}

void expect_every_request_served_once(const std::vector<int>& devices) {
  constexpr unsigned threads = 256;
  constexpr server_scenario e = {
      .config =
          {.servers = 32, .clients = 64, .ring = 256, .locks = 64, .local_buffer = 64, .gpus = 2},
      .threads_per_block = threads,
      .messages = {.seed = 1,
                   .senders = sender_set::uneven,
                   .most = 100,
                   .threads_per_block = threads,
                   .keys = 3000,
                   .first_key = 0,
                   .batch = 3,
                   .key_step = 1}};
  using channel = gpus_fast_channel<test_message<2>>;
  using service = message_service_with_own_heads<2, true>;
  EXPECT_EQ((run_on_gpus<channel, combine_by_key<block_lock>, service>(devices, e)), "");
}

const std::vector<int> twice_one{0, 0};
class two_grids_on_one_gpu : public on_gpu {};

TEST_F(two_grids_on_one_gpu, serve_every_request_once) {
  expect_every_request_served_once(twice_one);
}

TEST_F(two_grids_on_one_gpu, name_the_absent_block) {
  expect_absent_block_named(twice_one);
}

const std::vector<int> two{0, 1};

TEST_F(two_gpus, serve_every_request_once) {
  expect_every_request_served_once(two);
}

TEST_F(two_gpus, name_the_absent_block) {
  expect_absent_block_named(two);
}

}  // namespace
}  // namespace finesync::test::several_gpus_gpu_test
