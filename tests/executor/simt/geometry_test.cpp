// A thread's position: its coordinates, its SM, its block's shared memory.
#include "harness.hpp"

#include <finesync/device/clock.cuh>
#include <finesync/device/shared_storage.cuh>

#include <algorithm>
#include <set>
#include <vector>

namespace simt_test::geometry_test {
namespace {

__global__ void write_coordinates(cell32* out) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  out[me] = threadIdx.x | blockIdx.x << 8 | blockDim.x << 16 | gridDim.x << 24;
}

TEST(geometry, threads_know_their_coordinates) {
  const auto [out] =
      words_after(write_coordinates, {.blocks = 3, .threads_per_block = 40}, {3 * 40});
  for (unsigned i = 0; i < 3 * 40; ++i)
    EXPECT_EQ(out[i], i % 40 | i / 40 << 8 | 40u << 16 | 3u << 24);
}

/// Templates deduce the type of coordinates: numbers, here those of lane 3.
__global__ void shuffle_coordinates(cell32* out) {
  out[threadIdx.x] = __shfl_sync(full_warp, threadIdx.x, 3);
}

TEST(geometry, coordinates_are_unsigned_numbers) {
  EXPECT_EQ(words_after(shuffle_coordinates, {}, {32})[0], std::vector<std::uint32_t>(32, 3));
}

TEST(geometry, three_dimensional_grids_number_x_first) {
  struct place {
    simt::coordinates block, thread;
  };
  std::vector<place> places;
  const auto entry = [](void* raw) {
    EXPECT_EQ(gridDim.x * 100 + gridDim.y * 10 + gridDim.z, 324u);
    EXPECT_EQ(blockDim.x * 100 + blockDim.y * 10 + blockDim.z, 435u);
    static_cast<std::vector<place>*>(raw)->push_back(
        {{blockIdx.x, blockIdx.y, blockIdx.z}, {threadIdx.x, threadIdx.y, threadIdx.z}});
  };
  simt::settings s;
  s.stack_bytes = 64 * 1024;  // for the expectations
  const simt::scoped_settings use(s);
  simt::run({.blocks = {3, 2, 4}, .threads = {4, 3, 5}}, entry, &places);
  // This kernel never yields to another thread, so threads run in order.
  ASSERT_EQ(places.size(), 24u * 60);
  const auto linear = [](const simt::coordinates& c, unsigned x, unsigned y) {
    return c.x + x * (c.y + y * c.z);
  };
  for (unsigned i = 0; i < places.size(); ++i) {
    EXPECT_EQ(linear(places[i].block, 3, 2), i / 60);
    EXPECT_EQ(linear(places[i].thread, 4, 3), i % 60);
  }
}

__global__ void write_sm(cell32* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = sm_id();
}

std::vector<std::uint32_t> sms_of_blocks(const simt::settings& s, unsigned blocks) {
  const simt::scoped_settings use(s);
  constexpr unsigned threads = 8;
  const auto [of_threads] = words_after<independent>(
      write_sm, {.blocks = blocks, .threads_per_block = threads}, {blocks * threads});
  std::vector<std::uint32_t> of_blocks;
  for (unsigned block = 0; block < blocks; ++block) {
    const std::uint32_t sm = of_threads[block * threads];
    for (unsigned i = 1; i < threads; ++i) EXPECT_EQ(of_threads[block * threads + i], sm);
    of_blocks.push_back(sm);
  }
  return of_blocks;
}

/// Both schedules, on the GPU with 28 SMs.
std::vector<simt::settings> both_schedules() {
  simt::settings random = on_gpu("gtx1080ti");
  random.schedule = simt::schedule_kind::random;
  return {on_gpu("gtx1080ti"), random};
}

TEST(geometry, every_sm_gets_equally_many_resident_blocks) {
  for (const simt::settings& s : both_schedules()) {
    for (const unsigned per_sm : {1u, 3u, 32u}) {
      const std::vector<std::uint32_t> sms = sms_of_blocks(s, 28 * per_sm);
      for (std::uint32_t sm = 0; sm < 28; ++sm) {
        EXPECT_EQ(std::count(sms.begin(), sms.end(), sm), per_sm);
      }
    }
  }
}

TEST(geometry, the_sm_does_not_follow_from_the_block_number) {
  for (const simt::settings& s : both_schedules()) {
    const std::vector<std::uint32_t> sms = sms_of_blocks(s, 28);
    std::vector<std::uint32_t> in_turn;
    for (unsigned block = 0; block < 28; ++block) in_turn.push_back(block);
    EXPECT_NE(sms, in_turn);
  }
  simt::settings other_seed = both_schedules().back();
  other_seed.seed = 2;
  EXPECT_NE(sms_of_blocks(both_schedules().back(), 28), sms_of_blocks(other_seed, 28));
}

TEST(geometry, later_blocks_run_on_some_sm_too) {
  for (const simt::settings& s : both_schedules()) {
    const std::vector<std::uint32_t> sms = sms_of_blocks(s, 28 * 32 * 2 + 5);
    EXPECT_LT(*std::max_element(sms.begin(), sms.end()), 28u);
    EXPECT_EQ(std::set<std::uint32_t>(sms.begin(), sms.end()).size(), 28u);
  }
}

struct storage {
  cell32 words[64];
};

/// All blocks write their own shared memory, wait for each other, and read it.
__global__ void mark_shared(cell32* arrived, cell32* wrong) {
  storage& mine = shared_storage<storage>();
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) mine.words[i] = 1000 * blockIdx.x + i;
  __syncthreads();
  if (threadIdx.x == 0) {
    device_ref(*arrived).fetch_add(1, memory_order::acq_rel);
    while (device_ref(*arrived).load(memory_order::acquire) < gridDim.x) {
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) {
    if (mine.words[i] != 1000 * blockIdx.x + i) *wrong = 1;
  }
}

TEST(geometry, every_block_has_shared_memory_of_its_own) {
  const launch_shape shape{.blocks = 9, .threads_per_block = 48, .shared_bytes = sizeof(storage)};
  EXPECT_EQ(words_after(mark_shared, shape, {1, 1})[1][0], 0u);
}

/// Reports what it reads, and leaves zeros for the next block.
__global__ void look_into_fresh_shared(cell32* found) {
  storage& mine = shared_storage<storage>();
  for (unsigned i = 0; i < 64; ++i) {
    found[blockIdx.x * 64 + i] = mine.words[i];
    mine.words[i] = 0;
  }
}

TEST(geometry, shared_memory_starts_as_garbage_for_every_block) {
  const unsigned blocks = 3 * max_resident_blocks(look_into_fresh_shared, 1, sizeof(storage));
  const auto [words] = words_after<independent>(
      look_into_fresh_shared,
      {.blocks = blocks, .threads_per_block = 1, .shared_bytes = sizeof(storage)}, {blocks * 64});
  EXPECT_EQ(std::count(words.begin(), words.end(), 0u), 0);
}

}  // namespace
}  // namespace simt_test::geometry_test
