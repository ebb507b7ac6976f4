// Counts are exact: every operation once, by kind, scope and memory space.
#include "harness.hpp"

#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/device/ptx/message_128.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/machine.cuh>
#include <finesync/host/watchdog.cuh>

#include <map>

namespace simt_test::counters_test {
namespace {

using simt::op_kind;
using simt::space;

using named_counts = std::map<std::string, double>;

__global__ void one_of_each(cell32* global, cell<message_128>* slot) {
  cell32* shared = &shared_storage<cell32>();
  shared[0] = 1;
  const std::uint32_t value = shared[0];
  global[0] = value;
  global[1] = global[0];
  device_ref(global[2]).store(value, memory_order::release);
  device_ref(global[3]).load(memory_order::acquire);
  block_ref(global[4]).load(memory_order::relaxed);
  block_ref(shared[1]).store(1, memory_order::relaxed);
  block_ref(shared[2]).load(memory_order::relaxed);
  device_ref rmw(global[5]);
  rmw.fetch_add(1, memory_order::relaxed);
  rmw.exchange(5, memory_order::relaxed);
  std::uint32_t expected = 5;
  rmw.compare_exchange(expected, 6, memory_order::relaxed);
  block_ref(shared[3]).fetch_or(1, memory_order::relaxed);
  store_message(*slot, {1, 2});
  load_message(*slot);
  fence<memory_order::acq_rel, scope::device>();
  fence<memory_order::release, scope::block>();
  fence<memory_order::acquire, scope::block>();
  sleep_ns(100);
  __syncwarp(1);
  __ballot_sync(1, 1);
  __syncthreads();
}

void launch_one_of_each(unsigned blocks) {
  const buffer<message_128> slot(1);
  words_after(one_of_each, {.blocks = blocks, .threads_per_block = 1, .shared_bytes = 64}, {8},
              slot.device_data());
}

TEST(counters, count_each_operation_once_under_its_name) {
  launch_one_of_each(1);
  const named_counts expected = {{"plain_load_shared", 1},  {"plain_load_global", 1},
                                 {"plain_store_shared", 1}, {"plain_store_global", 2},
                                 {"load_device_global", 2}, {"load_block_global", 1},
                                 {"load_block_shared", 1},  {"store_device_global", 2},
                                 {"store_block_shared", 1}, {"rmw_device_global", 3},
                                 {"rmw_block_shared", 1},   {"fence_device", 1},
                                 {"fence_block", 2},        {"sleep", 1},
                                 {"warp_collective", 2},    {"block_barrier", 1}};
  EXPECT_EQ(last_launch_counts(), expected);
  EXPECT_EQ(simt::last_launch().counts.total(), 23u);
}

__global__ void for_the_system(cell32* word) {
  const atomic_ref<std::uint32_t, scope::system> at(*word);
  at.store(1, memory_order::relaxed);
  at.fetch_add(1, memory_order::relaxed);
  fence<memory_order::seq_cst, scope::system>();
}

TEST(counters, tell_system_scope_from_device_scope) {
  words_after(for_the_system, {.blocks = 1, .threads_per_block = 1}, {1});
  EXPECT_EQ(
      last_launch_counts(),
      (named_counts{{"store_system_global", 1}, {"rmw_system_global", 1}, {"fence_system", 1}}));
}

TEST(counters, count_by_kind_scope_and_space) {
  launch_one_of_each(3);
  const simt::counters& counts = simt::last_launch().counts;
  EXPECT_EQ(counts.operations(op_kind::exchange, scope::device, space::global), 3u);
  EXPECT_EQ(counts.operations(op_kind::exchange, scope::block, space::global), 0u);
  EXPECT_EQ(counts.operations(op_kind::exchange, scope::device, space::shared), 0u);
  EXPECT_EQ(counts.operations(op_kind::fetch_or, scope::block, space::shared), 3u);
  EXPECT_EQ(counts.operations(op_kind::fence, scope::block, space::none), 6u);
  EXPECT_EQ(counts.operations(op_kind::block_barrier, scope::block, space::none), 3u);
  EXPECT_EQ(counts.total(), 3u * 23);
}

/// Reads the same n times, then something new n times.
__global__ void poll(cell32* word, unsigned times) {
  for (unsigned i = 0; i < times; ++i) device_ref(*word).load(memory_order::relaxed);
  for (unsigned i = 0; i < times; ++i) device_ref(*word).fetch_add(1, memory_order::relaxed);
  std::uint32_t expected = ~0u;
  for (unsigned i = 0; i < times; ++i) {
    device_ref(*word).compare_exchange(expected, 0, memory_order::relaxed);
    expected = ~0u;
  }
}

TEST(counters, a_poll_is_a_read_that_finds_what_the_thread_found_before) {
  constexpr unsigned times = 10;
  words_after(poll, {.threads_per_block = 1}, {1}, times);
  // The first load is the first poll; additions change the word; of the failing exchanges only the
  // first reads a new value.
  EXPECT_EQ(simt::last_launch().counts.polls(space::global), times - 1 + times - 1);
  EXPECT_EQ(last_launch_counts().at("poll_global"), times - 1 + times - 1);
}

__global__ void poll_shared() {
  cell32& word = shared_storage<cell32>();
  word = 3;
  for (unsigned i = 0; i < 5; ++i) block_ref(word).load(memory_order::relaxed);
}

TEST(counters, polls_of_shared_memory_are_apart) {
  launch_cooperative(poll_shared, {.blocks = 2, .threads_per_block = 1, .shared_bytes = 4});
  EXPECT_EQ(
      last_launch_counts(),
      (named_counts{{"load_block_shared", 10}, {"plain_store_shared", 2}, {"poll_shared", 8}}));
}

__global__ void add_by_all(cell32* word) {
  device_ref(*word).fetch_add(1, memory_order::relaxed);
}

TEST(counters, count_all_threads_of_all_blocks_of_the_last_launch_alone) {
  for (const unsigned blocks : {100u, 3u}) {  // 100 blocks run in several waves
    words_after<independent>(add_by_all, {.blocks = blocks, .threads_per_block = 40}, {1});
    EXPECT_EQ(last_launch_counts(), (named_counts{{"rmw_device_global", blocks * 40.0}}));
  }
}

TEST(counters, schedule_and_memory_do_not_change_what_is_counted) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
      const simt::scoped_settings use(simt::random_schedule(seed, memory));
      words_after(add_by_all, {.blocks = 4, .threads_per_block = 64}, {1});
      EXPECT_EQ(last_launch_counts(), (named_counts{{"rmw_device_global", 256}}));
    }
  }
}

__global__ void do_nothing() {}

TEST(counters, a_kernel_without_operations_has_no_counts_and_takes_no_time) {
  launch_cooperative(do_nothing, {});
  EXPECT_EQ(last_launch_counts(), named_counts{});
  EXPECT_EQ(simt::last_launch().nominal_ns, 0u);
}

TEST(counters, nominal_time_is_512_ns_per_operation_of_every_live_thread) {
  words_after(poll, {.threads_per_block = 1}, {1}, 10u);
  EXPECT_EQ(simt::last_launch().nominal_ns, 30u * 512);
  words_after(poll, {.threads_per_block = 64}, {1}, 10u);
  EXPECT_NEAR(static_cast<double>(simt::last_launch().nominal_ns), 30.0 * 512, 512);
}

}  // namespace
}  // namespace simt_test::counters_test
