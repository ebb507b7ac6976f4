// Barriers, locks and servers of several GPUs on the device: on two GPUs where there are two, and
// as two grids on one.
#include "gpu_fixture.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/cooperative_groups_barrier.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/several_gpus/every_block_crosses.cuh>
#include <finesync/several_gpus/gpus_barrier.cuh>
#include <finesync/several_gpus/gpus_cohort_lock.cuh>
#include <finesync/several_gpus/gpus_lock.cuh>
#include <finesync/several_gpus/gpus_queue_lock.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>
#include <finesync/several_gpus/grid_cross_grid.cuh>

#include <tests/library/several_gpus/gpus_delivery.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace finesync::test::several_gpus_gpu_test {
namespace {

constexpr unsigned threads = 64;

/// Each block writes a word on its own GPU and one on the next, and reads those of other blocks.
template <class BarrierRef>
__global__ void exchange(BarrierRef barrier, symmetric_view view, unsigned rounds,
                         std::uint32_t* wrong, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  const unsigned next = (view.me + 1) % view.n;
  const auto word = [&](unsigned gpu, unsigned part, unsigned block) -> cell<std::uint32_t>& {
    return view.at<std::uint32_t>(gpu, (part * gridDim.x + block % gridDim.x) * 4);
  };
  unsigned found = 0;
  for (unsigned round = 1; round <= rounds; ++round) {
    const unsigned set = round % 2 * 2;
    if (threadIdx.x == 40) {
      word(view.me, set, blockIdx.x) = round;
      word(next, set + 1, blockIdx.x) = round;
    }
    if (!participant.wait()) return;
    if (threadIdx.x == 50) {
      found += word(next, set, blockIdx.x + round) != round;
      found += word(view.me, set + 1, blockIdx.x + 3) != round;
      found += word(view.me, set, blockIdx.x + 1) != round;
    }
  }
  if (found != 0) atomicAdd(wrong, found);
}

__global__ void wait_for_absent(gpus_barrier::ref_type barrier, unsigned me, unsigned absent,
                                watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (me == 1 && blockIdx.x == absent) return;
  participant.wait();
}

template <class Barrier>
void expect_right(const peers& all, unsigned blocks) {
  const launch_shape shape{.blocks = blocks, .threads_per_block = threads};
  const Barrier barrier(all, shape);
  const gpus_watchdog timeout(all);
  symmetric_memory words(all, 4 * blocks);
  std::vector<buffer<std::uint32_t>> wrong;
  for (const stream& each : all.streams()) wrong.push_back(buffer<std::uint32_t>::zeroed(1, each));
  for (int launch = 0; launch < 3; ++launch) {
    words.reset();
    launch_together(all.streams(), exchange<typename Barrier::ref_type>, shape, [&](unsigned me) {
      return std::tuple(barrier.ref(me), words.view(me), 200u, wrong[me].raw_pointer(),
                        timeout.ref(me));
    });
  }
  const auto report = timeout.report();
  EXPECT_FALSE(report.has_value()) << to_string(*report);
  for (const auto& each : wrong) EXPECT_EQ(each.to_host()[0], 0u);
}

void expect_all_right(const peers& all, unsigned blocks) {
  expect_right<gpus_barrier>(all, blocks);
  expect_right<every_block_crosses_barrier<>>(all, blocks);
  expect_right<grid_cross_grid_barrier<autotuned_barrier>>(all, blocks);
  expect_right<grid_cross_grid_barrier<cooperative_groups_barrier>>(all, blocks);
}

void expect_absent_block_named(const peers& all) {
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

struct add_one {
  cell<std::uint32_t>& counter;

  __device__ void operator()() const { counter = counter + 1; }
  __device__ void operator()(std::uint32_t& word) const { ++word; }
};

template <class Lock>
__global__ void count(Lock lock, cell<std::uint32_t>* counter, unsigned rounds,
                      watchdog_ref watchdog) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < rounds; ++i)
    if (!run_exclusive<other_lanes::idle>(lock, add_one{*counter}, watchdog)) return;
}

template <class Lock>
__global__ void get_word(Lock lock, cell<std::uint32_t>* word) {
  *word = lock.get();
}

template <class Lock>
void expect_no_count_lost(const peers& all, unsigned blocks, unsigned rounds) {
  gpus_lock<Lock> lock(all);
  const auto counter = buffer<std::uint32_t>::zeroed(1, all.stream_of(0));
  const gpus_watchdog timeout(all);
  all.synchronize();
  launch_together(all.streams(), count<Lock>, {.blocks = blocks, .threads_per_block = threads},
                  [&](unsigned me) {
                    return std::tuple(lock.ref(me), counter.device_data(), rounds, timeout.ref(me));
                  });
  const auto report = timeout.report();
  EXPECT_FALSE(report.has_value()) << to_string(*report);
  if constexpr (passes_value<Lock>) {
    launch_independent(all.stream_of(0), get_word<Lock>, {.blocks = 1, .threads_per_block = 1},
                       lock.ref(0), counter.device_data());
  }
  EXPECT_EQ(counter.to_host()[0], all.size() * blocks * rounds);
}

void expect_no_count_lost_by_any(const peers& all, unsigned blocks) {
  for (const unsigned rounds : {1u, 20u}) {
    expect_no_count_lost<gpus_array_lock>(all, blocks, rounds);
    expect_no_count_lost<gpus_value_passing_lock>(all, blocks, rounds);
    expect_no_count_lost<gpus_cohort_lock>(all, blocks, rounds);
    expect_no_count_lost<gpus_cohort_value_passing_lock>(all, blocks, rounds);
  }
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
  using service = registry_with_own_heads<2, true>;
  EXPECT_EQ((run_on_gpus<channel, combine_by_key<block_lock>, service>(devices, e)), "");
}

class two_grids_on_one_gpu : public on_gpu {
 protected:
  static peers grids() {
    const int twice[] = {0, 0};
    return peers(std::span<const int>(twice));
  }
};

TEST_F(two_grids_on_one_gpu, pass_each_barrier_together) {
  expect_all_right(grids(), static_cast<unsigned>(current_gpu().sms) / 2);
}

TEST_F(two_grids_on_one_gpu, serve_every_request_once) {
  expect_every_request_served_once({0, 0});
}

TEST_F(two_grids_on_one_gpu, name_the_absent_block) {
  expect_absent_block_named(grids());
}

TEST_F(two_grids_on_one_gpu, lose_no_count_under_a_lock) {
  expect_no_count_lost_by_any(grids(), static_cast<unsigned>(current_gpu().sms) / 2);
}

class two_gpus : public on_gpu {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    int devices = 0;
    if (!IsSkipped() && (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2))
      GTEST_SKIP() << "one GPU";
  }
};

TEST_F(two_gpus, pass_each_barrier_together) {
  const peers all(2);
  for (const unsigned per_sm : {1u, 4u, 32u})
    expect_all_right(all, per_sm * static_cast<unsigned>(current_gpu().sms));
}

TEST_F(two_gpus, lose_no_count_under_a_lock) {
  const peers all(2);
  for (const unsigned per_sm : {1u, 16u})
    expect_no_count_lost_by_any(all, per_sm * static_cast<unsigned>(current_gpu().sms));
}

TEST_F(two_gpus, serve_every_request_once) {
  expect_every_request_served_once({0, 1});
}

TEST_F(two_gpus, name_the_absent_block) {
  expect_absent_block_named(peers(2));
}

}  // namespace
}  // namespace finesync::test::several_gpus_gpu_test
