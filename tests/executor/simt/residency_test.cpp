// The number of resident blocks, and the treatment of the others.
#include "harness.hpp"

#include <finesync/device/clock.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/machine.cuh>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace simt_test::residency_test {
namespace {

constexpr std::size_t kib = 1024;

int per_sm(const char* gpu, int threads, std::size_t shared_bytes = 0) {
  return simt::find_gpu_model(gpu).blocks_per_sm(threads, shared_bytes);
}

TEST(residency, threads_limit_the_blocks_of_an_sm) {
  EXPECT_EQ(per_sm("gtx1080ti", 1024), 2);
  EXPECT_EQ(per_sm("gtx1080ti", 256), 8);
  EXPECT_EQ(per_sm("rtx2080ti", 1024), 1);
  EXPECT_EQ(per_sm("rtx2080ti", 512), 2);
  EXPECT_EQ(per_sm("titanv", 768), 2);
  EXPECT_EQ(per_sm("h200", 1024), 2);
  EXPECT_EQ(per_sm("small", 512), 1);
}

TEST(residency, threads_are_allotted_in_whole_warps) {
  EXPECT_EQ(per_sm("gtx1080ti", 96), 21);
  EXPECT_EQ(per_sm("gtx1080ti", 65), 21);
  EXPECT_EQ(per_sm("gtx1080ti", 1023), 2);
  EXPECT_EQ(per_sm("small", 33), 8);
  EXPECT_EQ(per_sm("small", 65), 5);
}

TEST(residency, an_sm_has_a_limit_of_blocks) {
  EXPECT_EQ(per_sm("gtx1080ti", 32), 32);
  EXPECT_EQ(per_sm("gtx1080ti", 1), 32);
  EXPECT_EQ(per_sm("rtx2080ti", 32), 16);
}

TEST(residency, shared_memory_limits_the_blocks_of_an_sm) {
  EXPECT_EQ(per_sm("gtx1080ti", 32, 48 * kib), 2);
  EXPECT_EQ(per_sm("gtx1080ti", 32, 32 * kib), 3);
  EXPECT_EQ(per_sm("gtx1080ti", 32, 16), 32);
  EXPECT_EQ(per_sm("titanv", 32, 96 * kib), 1);
  EXPECT_EQ(per_sm("h200", 32, 100 * kib), 2);
  EXPECT_EQ(per_sm("h200", 32, 227 * kib), 1);
  // Four would fit without the 1 KiB that each block reserves.
  EXPECT_EQ(per_sm("h200", 32, 57 * kib), 3);
}

TEST(residency, impossible_shapes_have_no_place) {
  EXPECT_EQ(per_sm("gtx1080ti", 32, 48 * kib + 1), 0);
  EXPECT_EQ(per_sm("h200", 32, 228 * kib), 0);
  EXPECT_EQ(per_sm("h200", 1025), 0);
  EXPECT_EQ(per_sm("h200", 0), 0);
  EXPECT_EQ(per_sm("small", 1024), 0);
}

__global__ void visit(cell32* visits) {
  device_ref(visits[blockIdx.x]).fetch_add(1, memory_order::relaxed);
}

TEST(residency, the_whole_gpu_holds_as_many_as_its_sms_together) {
  const simt::scoped_settings use(on_gpu("gtx1080ti"));
  EXPECT_EQ(max_resident_blocks(visit, 1024), 56u);
  EXPECT_EQ(max_resident_blocks(visit, 32), 28u * 32);
  EXPECT_EQ(max_resident_blocks(visit, 256, 48 * kib), 56u);
  EXPECT_EQ(max_resident_blocks(visit, 2048), 0u);
}

TEST(residency, an_unknown_gpu_is_refused_with_the_known_ones) {
  try {
    simt::find_gpu_model("gtx9999");
    FAIL();
  } catch (const std::invalid_argument& problem) {
    for (const simt::gpu_model& model : simt::gpu_models()) {
      EXPECT_NE(std::string(problem.what()).find(model.name), std::string::npos);
    }
    EXPECT_NE(std::string(problem.what()).find("gtx9999"), std::string::npos);
  }
}

TEST(residency, the_gpu_that_programs_see_is_the_one_of_the_settings) {
  const simt::scoped_settings use(on_gpu("titanv"));
  const gpu_properties gpu = current_gpu();
  EXPECT_EQ(gpu.sms, 80);
  EXPECT_TRUE(gpu.simulated);
  EXPECT_NE(gpu.name.find("titanv"), std::string::npos);
  EXPECT_EQ(gpu.max_blocks_per_sm, 32);
  EXPECT_EQ(gpu.shared_bytes_per_block, 96 * kib);
}

TEST(residency, cooperative_launch_that_does_not_fit_names_what_fits) {
  const simt::scoped_settings use(on_gpu("gtx1080ti"));
  const buffer<std::uint32_t> visits = zeroed_words(57);
  try {
    launch_cooperative(visit, {.blocks = 57, .threads_per_block = 1024}, visits.device_data());
    FAIL() << "the launch was not refused";
  } catch (const launch_error& problem) {
    const std::string refusal = problem.what();
    EXPECT_NE(refusal.find("57 blocks of 1024 threads"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("at most 56 blocks"), std::string::npos) << refusal;
  }
  EXPECT_EQ(visits.to_host(), std::vector<std::uint32_t>(57, 0)) << "nothing must have run";
}

TEST(residency, launch_of_an_impossible_shape_is_refused) {
  for (const launch_shape& shape :
       {launch_shape{.blocks = 0}, launch_shape{.threads_per_block = 1025},
        launch_shape{.threads_per_block = 0}, launch_shape{.shared_bytes = 1 << 20}}) {
    EXPECT_THROW(words_after(visit, shape, {1}), launch_error);
    EXPECT_THROW(words_after<independent>(visit, shape, {1}), launch_error);
  }
}

TEST(residency, independent_launch_completes_blocks_that_do_not_fit_at_once) {
  for (unsigned seed = 0; seed <= 5; ++seed) {
    const simt::scoped_settings use(seed == 0 ? round_robin() : simt::random_schedule(seed));
    const unsigned blocks = 7 * max_resident_blocks(visit, 96) + 3;
    EXPECT_EQ(
        words_after<independent>(visit, {.blocks = blocks, .threads_per_block = 96}, {blocks})[0],
        std::vector<std::uint32_t>(blocks, 96));
  }
}

/// Counts the threads inside, and their maximum.
__global__ void count_inside(cell32* inside, cell32* most) {
  const std::uint32_t now = device_ref(*inside).fetch_add(1, memory_order::relaxed) + 1;
  device_ref(*most).fetch_max(now, memory_order::relaxed);
  for (unsigned i = 0; i < 20; ++i) device_ref(*most).load(memory_order::relaxed);
  device_ref(*inside).fetch_add(~0u, memory_order::relaxed);
}

TEST(residency, no_more_blocks_than_fit_are_alive_at_once) {
  const unsigned fitting = max_resident_blocks(count_inside, 1);
  const auto [inside, most] = words_after<independent>(
      count_inside, {.blocks = 4 * fitting, .threads_per_block = 1}, {1, 1});
  EXPECT_EQ(most[0], fitting);
  EXPECT_EQ(inside[0], 0u);
}

TEST(residency, machine_options_set_the_gpu_and_refuse_nonsense) {
  const simt::scoped_settings restore({});
  for (const machine_option& option : machine_options()) {
    if (option.name == "gpu") {
      option.set("rtx2080ti");
      EXPECT_EQ(current_gpu().sms, 68);
      EXPECT_THROW(option.set("voodoo"), std::invalid_argument);
      EXPECT_EQ(current_gpu().sms, 68);
    } else {
      EXPECT_THROW(option.set("-3x"), std::invalid_argument) << option.name;
      option.set(option.default_value);
    }
  }
}

TEST(residency, races_need_strong_memory) {
  const simt::scoped_settings restore({});
  for (const machine_option& option : machine_options()) {
    if (option.name == "memory") option.set("weak");
    if (option.name != "check") continue;
    EXPECT_THROW(option.set("races"), std::invalid_argument);
    option.set("none");
  }
}

std::string refusal_of(const launch_shape& shape) {
  try {
    launch_cooperative(count_inside, shape, nullptr, nullptr);
  } catch (const launch_error& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(residency, a_block_that_no_sm_holds_is_refused_by_what_an_sm_holds) {
  EXPECT_EQ(refusal_of({.blocks = 4, .threads_per_block = 1024}),
            "an SM of host executor (small) holds 512 threads, fewer than a block of 1024 threads");
  EXPECT_EQ(refusal_of({.blocks = 4, .threads_per_block = 64, .shared_bytes = 49 * kib}),
            "an SM of host executor (small) has 49152 bytes of shared memory for a block, and a "
            "block of 64 threads needs 50176");
}

// A thread's position: its coordinates, its SM, its block's shared memory.

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
}  // namespace simt_test::residency_test
