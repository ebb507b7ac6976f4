// What a report of threads that wait for ever says of them: where they wait, for what, how much of
// it is there, and what has become of whoever could end it.
#include "harness.hpp"

#include <finesync/device/ptx/mbarrier.cuh>
#include <finesync/device/ptx/named_barrier.cuh>
#include <finesync/device/shared_storage.cuh>

namespace simt_test::who_waits_test {
namespace {

using enum memory_order;
using simt::fault_kind;

void take(cell32& lock) {
  for (std::uint32_t expected = 0; !device_ref(lock).compare_exchange(expected, 1, acquire);)
    expected = 0;
}

void wait_until(cell32& word, std::uint32_t value) {
  while (device_ref(word).load(acquire) != value) {
  }
}

constexpr launch_shape two_blocks{.blocks = 2, .threads_per_block = 1};

/// Two locks in two orders.
__global__ void take_crosswise(cell32* locks) {
  take(locks[blockIdx.x * far]);
  take(locks[(1 - blockIdx.x) * far]);
}

TEST(who_waits, a_cycle_of_locks) {
  expect_stuck(
      ending_of(take_crosswise, two_blocks, {2 * far}), fault_kind::livelock,
      {"1 poll buffer 1 (64 x unsigned int) + 0x0 (element 0), which holds 1 (last written by "
       "block 0, thread 0, which polls buffer 1 (64 x unsigned int) + 0x80 (element 32)): block 1, "
       "thread 0 (who_waits_test.cpp:",
       "1 poll buffer 1 (64 x unsigned int) + 0x80 (element 32), which holds 1 (last written by "
       "block 1, thread 0, which polls buffer 1 (64 x unsigned int) + 0x0 (element 0)): block 0, "
       "thread 0 (who_waits_test.cpp:"});
}

/// The holder takes the lock again.
__global__ void take_twice(cell32* lock) {
  take(*lock);
  take(*lock);
}

TEST(who_waits, the_holder_itself) {
  expect_stuck(ending_of(take_twice, {.threads_per_block = 1}, {1}), fault_kind::livelock,
               {"(last written by block 0, thread 0, which is one of those who poll it)"});
}

__global__ void keep(cell32* lock) {
  take(*lock);
}

TEST(who_waits, for_a_holder_that_has_ended) {
  expect_stuck(ending_of(keep, two_blocks, {1}), fault_kind::livelock,
               {"(last written by block 0, thread 0, which has ended)"});
}

/// The holder waits in another way.
enum class place { barrier, named_barrier, collective };

template <place Where>
__global__ void hold_and_wait(cell32* lock) {
  if (threadIdx.x == 32) {
    take(*lock);
    if (Where == place::named_barrier) named_barrier_sync(2, 64);
    if (Where == place::collective) __syncwarp();
    if (Where == place::barrier) __syncthreads();
  } else {
    wait_until(*lock, 2);
  }
}

TEST(who_waits, for_a_holder_that_waits_elsewhere) {
  const launch_shape shape{.threads_per_block = 64};
  expect_stuck(ending_of(hold_and_wait<place::barrier>, shape, {1}), fault_kind::livelock,
               {"(last written by block 0, thread 32, which waits at __syncthreads())",
                "1 of 64 have come to __syncthreads() of block 0 (who_waits_test.cpp:"});
  expect_stuck(ending_of(hold_and_wait<place::named_barrier>, shape, {1}), fault_kind::livelock,
               {"which waits at a named barrier)",
                "1 of 64 have come to named barrier 2 of block 0 (who_waits_test.cpp:"});
  expect_stuck(ending_of(hold_and_wait<place::collective>, shape, {1}), fault_kind::livelock,
               {"which waits at a warp collective)",
                "lanes 0x1 wait for lanes 0xfffffffe of the warp of block 0, thread 32 ("});
}

/// One arrival of 64 is missing in the second phase.
__global__ void miss_an_arrival() {
  auto& barrier = shared_storage<mbarrier>();
  if (threadIdx.x == 0) barrier.init(64);
  __syncthreads();
  for (unsigned phase = 0; phase < 2; ++phase) {
    if (phase == 0 || threadIdx.x != 5) barrier.arrive();
    while (!barrier.has_ended(phase)) {
    }
  }
}

TEST(who_waits, at_an_mbarrier) {
  expect_stuck(
      ending_of(miss_an_arrival, {.threads_per_block = 64, .shared_bytes = sizeof(mbarrier)}),
      fault_kind::livelock,
      {" poll the mbarrier at shared memory +0x0, where 63 of 64 have arrived in phase 1",
       ": first block 0, thread 0 (who_waits_test.cpp:"});
}

/// A semaphore with one release too few, by which its count goes below zero.
__global__ void take_a_permit_too_many(cell32* permits) {
  device_ref(*permits).fetch_add(~0u, relaxed);
  while ((device_ref(*permits).load(relaxed) >> 31) != 0) {
  }
}

TEST(who_waits, for_a_count_below_zero) {
  expect_stuck(ending_of(take_a_permit_too_many, two_blocks, {1}), fault_kind::livelock,
               {"+ 0x0 (element 0), which holds 4294967294 (-2)"});
}

}  // namespace
}  // namespace simt_test::who_waits_test
