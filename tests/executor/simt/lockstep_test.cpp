// Warps before Volta: one program counter for 32 lanes, which wait for each other where branches
// join. Compiled without optimization, as settings.hpp requires.
#include "harness.hpp"

#include <algorithm>

namespace simt_test::lockstep_test {
namespace {

simt::settings lockstep() {
  return scheduled(simt::schedule_kind::lockstep);
}

__device__ bool try_lock(cell32& lock) {
  std::uint32_t expected = 0;
  return device_ref(lock).compare_exchange(expected, 1, memory_order::acquire);
}

__device__ void unlock(cell32& lock) {
  device_ref(lock).store(0, memory_order::release);
}

/// The holder waits after the loop for lanes that wait inside it for the holder.
__global__ void add_behind_spin_loop(cell32* lock, cell32* sum, unsigned competing_lanes) {
  if (threadIdx.x % 32 >= competing_lanes) return;
  while (!try_lock(*lock)) {
  }
  *sum = *sum + 1;
  unlock(*lock);
}

/// ASPLOS'19, Listing 1: the section is inside the loop, so that the holder can unlock.
__global__ void add_inside_spin_loop(cell32* lock, cell32* sum, unsigned competing_lanes) {
  if (threadIdx.x % 32 >= competing_lanes) return;
  bool done = false;
  while (!done) {
    if (try_lock(*lock)) {
      *sum = *sum + 1;
      unlock(*lock);
      done = true;
    }
  }
}

struct outcome {
  ending end;
  std::uint32_t sum;
};

outcome add_under_lock(void (*kernel)(cell32*, cell32*, unsigned), unsigned competing_lanes,
                       const simt::settings& s) {
  const simt::scoped_settings use(s);
  const buffer<std::uint32_t> lock = zeroed_words(1);
  const buffer<std::uint32_t> sum = zeroed_words(1);
  const ending end = ending_of([&] {
    launch_cooperative(kernel, {.blocks = 2, .threads_per_block = 64}, lock.device_data(),
                       sum.device_data(), competing_lanes);
  });
  return {end, sum.to_host()[0]};
}

TEST(lockstep, lanes_that_compete_in_a_spin_loop_never_get_out) {
  for (const unsigned lanes : {2u, 32u}) {
    const outcome o = add_under_lock(add_behind_spin_loop, lanes, lockstep());
    expect_stuck(o.end, simt::fault_kind::livelock,
                 {"which holds 1", "buffer 1 (1 x unsigned int) + 0x0"});
    EXPECT_EQ(o.sum, 0u);
  }
}

TEST(lockstep, warps_that_compete_in_a_spin_loop_get_out) {
  const outcome o = add_under_lock(add_behind_spin_loop, 1, lockstep());
  EXPECT_FALSE(o.end.stuck) << o.end.report;
  EXPECT_EQ(o.sum, 4u);
}

TEST(lockstep, section_inside_the_spin_loop_finishes) {
  for (const unsigned lanes : {1u, 2u, 32u}) {
    const outcome o = add_under_lock(add_inside_spin_loop, lanes, lockstep());
    EXPECT_FALSE(o.end.stuck) << o.end.report;
    EXPECT_EQ(o.sum, 4 * lanes);
  }
}

TEST(lockstep, both_shapes_finish_when_lanes_are_scheduled_independently) {
  for (const simt::settings& s : {round_robin(), simt::random_schedule(1), simt::random_schedule(2),
                                  simt::random_schedule(3)}) {
    for (const auto kernel : {add_behind_spin_loop, add_inside_spin_loop}) {
      const outcome o = add_under_lock(kernel, 32, s);
      EXPECT_FALSE(o.end.stuck) << o.end.report;
      EXPECT_EQ(o.sum, 128u);
    }
  }
}

/// Lane i runs i iterations of a loop and takes one of two branches. Tickets record the order.
__global__ void diverge_and_join(cell32* next, cell32* before_join, cell32* after_join) {
  const unsigned lane = threadIdx.x;
  device_ref ticket(*next);
  std::uint32_t last = 0;
  if (lane % 2 == 0) {
    for (unsigned i = 0; i <= lane; ++i) last = ticket.fetch_add(1, memory_order::relaxed);
  } else {
    last = ticket.fetch_add(1, memory_order::relaxed);
  }
  before_join[lane] = last;
  after_join[lane] = ticket.fetch_add(1, memory_order::relaxed);
}

bool lanes_wait_at_the_join(const simt::settings& s) {
  const simt::scoped_settings use(s);
  const auto [next, b, a] = words_after(diverge_and_join, {}, {1, 32, 32});
  return *std::max_element(b.begin(), b.end()) < *std::min_element(a.begin(), a.end());
}

TEST(lockstep, lanes_reconverge_behind_a_branch_and_a_loop) {
  EXPECT_TRUE(lanes_wait_at_the_join(lockstep()));
  EXPECT_FALSE(lanes_wait_at_the_join(round_robin()));
}

/// The lanes of one branch complete it before the lanes of the other branch begin.
__global__ void take_turns_in_branches(cell32* next, cell32* tickets) {
  const unsigned lane = threadIdx.x;
  device_ref ticket(*next);
  for (unsigned i = 0; i < 2; ++i) {
    if (lane < 8) {
      tickets[lane] = ticket.fetch_add(1, memory_order::relaxed);
    } else {
      tickets[lane] = ticket.fetch_add(1, memory_order::relaxed);
    }
  }
}

TEST(lockstep, branches_run_one_after_the_other) {
  const simt::scoped_settings use(lockstep());
  const auto [next, t] = words_after(take_turns_in_branches, {}, {1, 32});
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_TRUE(lane < 8 ? t[lane] < 32 + 8 : t[lane] >= 32 + 8) << lane << ": " << t[lane];
  }
}

/// A sum over the block through shuffles and shared memory, with a divergent start.
__global__ void reduce(cell32* out) {
  cell32* of_warp = reinterpret_cast<cell32*>(simt::shared_storage());
  std::uint32_t value = 0;
  if (threadIdx.x % 3 == 0) {
    value = 2 * threadIdx.x;
  } else {
    for (unsigned i = 0; i < threadIdx.x; ++i) ++value;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(full_warp, value, offset);
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  std::uint32_t sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += of_warp[w];
  __syncthreads();
  if (__all_sync(full_warp, sum > 0)) out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

TEST(lockstep, barriers_and_collectives_work) {
  const simt::scoped_settings use(lockstep());
  const auto [out] =
      words_after(reduce, {.blocks = 2, .threads_per_block = 96, .shared_bytes = 64}, {2 * 96});
  std::uint32_t expected = 0;
  for (unsigned i = 0; i < 96; ++i) expected += i % 3 == 0 ? 2 * i : i;
  EXPECT_EQ(out, std::vector<std::uint32_t>(2 * 96, expected));
}

__global__ void collect_active(cell32* masks) {
  if (threadIdx.x < 5) {
    masks[threadIdx.x] = __activemask();
  } else {
    masks[threadIdx.x] = 0;
  }
  masks[32 + threadIdx.x] = __activemask();
}

TEST(lockstep, active_lanes_are_those_of_the_branch_and_all_behind_it) {
  const simt::scoped_settings use(lockstep());
  const auto [m] = words_after(collect_active, {}, {64});
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(m[lane], lane < 5 ? 0x1fu : 0u) << lane;
    EXPECT_EQ(m[32 + lane], full_warp) << lane;
  }
}

__global__ void divergent_barrier() {
  if (threadIdx.x < 5) __syncthreads();
}

TEST(lockstep, divergent_barrier_is_reported) {
  const simt::scoped_settings use(lockstep());
  expect_stuck(ending_of(divergent_barrier, {}), simt::fault_kind::divergent_barrier, {});
}

}  // namespace
}  // namespace simt_test::lockstep_test
