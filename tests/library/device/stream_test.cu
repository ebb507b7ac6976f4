// Owners and launches in streams. On the executor all streams are alike, so these tests show only
// that every function accepts one; the GPU's tests show the effect.
#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/cluster_barrier.cuh>
#include <finesync/barriers/cooperative_groups_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/launch_graph.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/mcs_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/semaphores/cas_semaphore.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/semaphores/spin_semaphore.cuh>
#include <finesync/semaphores/ticket_semaphore.cuh>

#include <gtest/gtest.h>

#include <utility>

namespace finesync {
namespace {

__global__ void add_one(cell<unsigned>* word) {
  atomic_ref<unsigned, scope::device>(*word).fetch_add(1, memory_order::relaxed);
}

TEST(stream, orders_fills_kernels_and_copies) {
  const owned_stream on;
  buffer<unsigned> word(1, on);
  word.fill_bytes(0);
  launch_cooperative(on, add_one, {.blocks = 2, .threads_per_block = 3}, word.device_data());
  launch_independent(on, add_one, {.blocks = 1, .threads_per_block = 5}, word.device_data());
  launch_graph graph(on);
  launch_independent(graph, add_one, {.blocks = 1, .threads_per_block = 7}, word.device_data());
  graph.launch();
  EXPECT_EQ(word.to_host()[0], 18u);
  EXPECT_EQ(word.to_host(on)[0], 18u);
  EXPECT_EQ(word.own_stream(), stream(on));
  on.synchronize();
}

TEST(stream, is_the_default_stream_unless_named) {
  EXPECT_EQ(stream().device(), current_device());
  buffer<unsigned> word(1);
  EXPECT_EQ(word.own_stream(), stream());
  word.fill_bytes(0);
  launch_cooperative(add_one, {.blocks = 1, .threads_per_block = 4}, word.device_data());
  EXPECT_EQ(word.to_host()[0], 4u);
}

TEST(stream, has_one_owner) {
  owned_stream first;
  owned_stream second(std::move(first));
  first = std::move(second);
  first.synchronize();
}

template <class Barrier>
__global__ void meet(Barrier barrier, cell<unsigned>* met, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (participant.wait() && threadIdx.x == 0)
    atomic_ref<unsigned, scope::device>(*met).fetch_add(1, memory_order::relaxed);
}

template <class Barrier>
unsigned blocks_that_meet(const stream& on, const Barrier& barrier, const launch_shape& shape) {
  buffer<unsigned> met(1, on);
  met.fill_bytes(0);
  const watchdog timeout(on);
  launch_cooperative(on, meet<decltype(barrier.ref())>, shape, barrier.ref(), met.device_data(),
                     timeout.ref());
  EXPECT_FALSE(timeout.fired());
  return met.to_host()[0];
}

TEST(stream, is_taken_by_every_barrier) {
  const owned_stream on;
  const launch_shape shape{.blocks = 4, .threads_per_block = 32};
  EXPECT_EQ(blocks_that_meet(on, autotuned_barrier(shape, on), shape), 4u);
  EXPECT_EQ(blocks_that_meet(on, counter_barrier(shape, {}, on), shape), 4u);
  EXPECT_EQ(blocks_that_meet(on, cluster_barrier(shape, {.replicas = 2}, on), shape), 4u);
  EXPECT_EQ(blocks_that_meet(on, cooperative_groups_barrier(shape, on), shape), 4u);
  EXPECT_EQ(blocks_that_meet(on, sense_reversing_barrier<>(shape, on), shape), 4u);
}

template <class Lock>
__global__ void count_under(lock_table_ref<Lock> locks, cell<unsigned>* count,
                            watchdog_ref watchdog) {
  run_exclusive(
      locks[0], [=] { *count = *count + 1; }, watchdog);
}

template <class Lock>
unsigned counted(const stream& on, lock_table<Lock>& locks) {
  buffer<unsigned> count(1, on);
  count.fill_bytes(0);
  const watchdog timeout(on);
  locks.reset();
  launch_cooperative(on, count_under<Lock>, {.blocks = 2, .threads_per_block = 16}, locks.ref(),
                     count.device_data(), timeout.ref());
  return count.to_host()[0];
}

TEST(stream, is_taken_by_tables_of_locks) {
  const owned_stream on;
  lock_table<ticket_lock<scope::system, no_backoff>> tickets(1, lock_layout::padded, on);
  EXPECT_EQ(counted(on, tickets), 32u);
  lock_table<mcs_lock<scope::device>> queues(1, lock_layout::packed, 32, on);
  EXPECT_EQ(counted(on, queues), 32u);
}

template <class Semaphore>
__global__ void pass(Semaphore semaphore, cell<unsigned>* passed, watchdog_ref watchdog) {
  const auto section = [=] {
    atomic_ref<unsigned, scope::device>(*passed).fetch_add(1, memory_order::relaxed);
  };
  run_with_permits(semaphore, 1, section, watchdog);
}

template <class Semaphore>
unsigned threads_that_pass(const stream& on, const Semaphore& semaphore) {
  buffer<unsigned> passed(1, on);
  passed.fill_bytes(0);
  const watchdog timeout(on);
  launch_cooperative(on, pass<decltype(semaphore.ref())>, {.blocks = 2, .threads_per_block = 8},
                     semaphore.ref(), passed.device_data(), timeout.ref());
  return passed.to_host()[0];
}

TEST(stream, is_taken_by_every_semaphore) {
  const owned_stream on;
  EXPECT_EQ(threads_that_pass(on, ticket_semaphore<>(3, on)), 16u);
  EXPECT_EQ(threads_that_pass(on, cas_semaphore<no_backoff>(3, on)), 16u);
  EXPECT_EQ(threads_that_pass(on, spin_semaphore<exponential_backoff<32, 2048>>(3, on)), 16u);
}

}  // namespace
}  // namespace finesync
