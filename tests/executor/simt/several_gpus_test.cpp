// Launches on several GPUs: system scope suffices between them and is required, in weak memory and
// for the race detector. Two grids on one GPU need device scope alone.
#include "litmus.hpp"
#include "races.hpp"

#include <finesync/device/clock.cuh>
#include <finesync/device/cluster.cuh>

#include <algorithm>
#include <tuple>

namespace simt_test::several_gpus_test {
namespace {

using gpus = std::vector<int>;

std::vector<stream> streams_on(const gpus& devices) {
  std::vector<stream> streams;
  for (const int device : devices) {
    const device_guard here(device);
    streams.emplace_back();
  }
  return streams;
}

const gpus two{0, 1};
const gpus four{0, 1, 2, 3};
const gpus eight{0, 1, 2, 3, 4, 5, 6, 7};
const gpus twice_one{0, 0};

constexpr unsigned data_words = 4;
constexpr unsigned flag_at = data_words * far;
constexpr unsigned counter_at = flag_at + far;
constexpr unsigned words = counter_at + 8 * far;

/// Memory that all GPUs share.
struct shared_words {
  cell32* memory;
  cell32* wrong;
  unsigned grid;
  unsigned grids;
  bool early;  ///< readers look early, which is a race

  __device__ void write() const {
    for (unsigned i = 0; i < data_words; ++i) memory[i * far] = i + 1;
  }
  /// Fills the reader's caches with what was there before.
  __device__ void look_early() const {
    for (unsigned i = 0; i < data_words && early; ++i)
      static_cast<void>(std::uint32_t{memory[i * far]});
  }
  __device__ void check() const {
    for (unsigned i = 0; i < data_words; ++i)
      if (memory[i * far] != i + 1) *wrong = 1;
  }
  __device__ cell32& flag(unsigned number = 0) const { return memory[flag_at + number * far]; }
};

using kernel = void (*)(shared_words);

void launch(kernel run, const gpus& devices, const launch_shape& shape, cell32* memory,
            cell32* wrong) {
  const auto grids = static_cast<unsigned>(devices.size());
  const bool early = simt::current_settings().check != simt::checking::races;
  launch_together(streams_on(devices), run, shape, [&](unsigned grid) {
    return std::tuple(shared_words{memory, wrong, grid, grids, early});
  });
}

constexpr launch_shape one_thread{.blocks = 1, .threads_per_block = 1};
constexpr launch_shape two_threads{.blocks = 2, .threads_per_block = 1};

bool goes_wrong_on(kernel run, const gpus& devices, const launch_shape& shape) {
  const auto memory = zeroed_words(words);
  const auto wrong = zeroed_words(1);
  launch(run, devices, shape, memory.device_data(), wrong.device_data());
  return wrong.to_host()[0] != 0;
}

unsigned wrong_in(simt::memory_kind memory, kernel run, const gpus& devices,
                  const launch_shape& shape) {
  return wrong_seeds(litmus_seeds, memory, [&] { return goes_wrong_on(run, devices, shape); });
}

void expect_right(kernel run, const gpus& devices, const launch_shape& shape = one_thread) {
  EXPECT_EQ(wrong_in(simt::memory_kind::weak, run, devices, shape), 0u);
  EXPECT_EQ(wrong_in(simt::memory_kind::strong, run, devices, shape), 0u);
}

void expect_only_weak_memory_breaks_on(kernel run, const gpus& devices,
                                       const launch_shape& shape = one_thread) {
  EXPECT_GT(wrong_in(simt::memory_kind::weak, run, devices, shape), 0u);
  EXPECT_EQ(wrong_in(simt::memory_kind::strong, run, devices, shape), 0u);
}

std::string race_on(kernel run, const gpus& devices, const launch_shape& shape = one_thread) {
  return race_in([&] { goes_wrong_on(run, devices, shape); });
}

constexpr auto device = scope::device;
constexpr auto all = scope::system;

template <scope Scope>
void raise(cell32& flag) {
  atomic_ref<std::uint32_t, Scope>(flag).store(1, memory_order::relaxed);
}

/// The first grid passes data to the last.
template <scope Release, scope Acquire, scope Flag = scope::system>
void hand_over(shared_words with) {
  if (with.grid == 0) {
    with.write();
    fence<memory_order::release, Release>();
    raise<Flag>(with.flag());
  } else if (with.grid == with.grids - 1) {
    with.look_early();
    await<Flag>(with.flag(), memory_order::relaxed);
    fence<memory_order::acquire, Acquire>();
    with.check();
  }
}

TEST(several_gpus, hand_data_over_at_system_scope) {
  expect_right(hand_over<all, all>, two);
  expect_right(hand_over<all, all>, four);
  EXPECT_EQ(race_on(hand_over<all, all>, two), "");
}

TEST(several_gpus, do_not_at_device_scope) {
  expect_only_weak_memory_breaks_on(hand_over<device, all>, two);
  expect_only_weak_memory_breaks_on(hand_over<all, device>, two);
  expect_only_weak_memory_breaks_on(hand_over<device, device>, four);
}

TEST(several_gpus, two_grids_of_one_gpu_do) {
  expect_right(hand_over<device, device, device>, twice_one);
  EXPECT_EQ(race_on(hand_over<device, device, device>, twice_one), "");
}

TEST(several_gpus, a_narrow_scope_is_a_race) {
  expect_race(race_on(hand_over<device, all>, two),
              {"block 0 of GPU 0, thread 0 has released since, but at a narrower scope; missing: "
               "system scope"});
  expect_race(race_on(hand_over<all, device>, two),
              {"block 0 of GPU 1, thread 0 has read what block 0 of GPU 0, thread 0 released; "
               "missing: a system-scope acquire"});
  expect_race(race_on(hand_over<all, all, device>, two),
              {"both are atomic; missing: system scope in both"});
}

TEST(several_gpus, races_between_grids_of_one_gpu_name_the_grids) {
  expect_race(race_on(hand_over<scope::block, device>, twice_one),
              {"block 0 of grid 0, thread 0", "missing: device scope"});
}

/// As in a message with release and acquire in its flag.
template <scope Release, scope Acquire>
void send(shared_words with) {
  if (with.grid == 0) {
    with.write();
    atomic_ref<std::uint32_t, Release>(with.flag()).store(1, memory_order::release);
  } else {
    with.look_early();
    await<Acquire>(with.flag(), memory_order::acquire);
    with.check();
  }
}

TEST(several_gpus, send_at_system_scope) {
  expect_right(send<all, all>, two);
  EXPECT_EQ(race_on(send<all, all>, two), "");
  EXPECT_GT(wrong_in(simt::memory_kind::weak, send<device, all>, two, one_thread), 0u);
  EXPECT_GT(wrong_in(simt::memory_kind::weak, send<all, device>, two, one_thread), 0u);
}

/// The same by a read-modify-write after a fence.
template <scope Release>
void announce(shared_words with) {
  const atomic_ref<std::uint32_t, scope::system> flag(with.flag());
  if (with.grid == 0) {
    with.write();
    fence<memory_order::release, Release>();
    flag.fetch_add(1, memory_order::relaxed);
  } else {
    with.look_early();
    await<scope::system>(with.flag(), memory_order::acquire);
    with.check();
  }
}

TEST(several_gpus, announce_at_system_scope) {
  expect_right(announce<all>, two);
  expect_only_weak_memory_breaks_on(announce<device>, two);
}

/// Block 1 of the first GPU writes and tells block 0, which tells block 0 of the last GPU, which
/// tells its block 1.
template <scope Crossing, scope Arriving = scope::system>
void relay(shared_words with) {
  const bool first = with.grid == 0;
  if (!first && with.grid != with.grids - 1) return;
  if (first && blockIdx.x == 1) {
    with.write();
    fence<memory_order::release, scope::device>();
    raise<scope::device>(with.flag(1));
  } else if (first) {
    await<scope::device>(with.flag(1), memory_order::relaxed);
    fence<memory_order::acquire, scope::device>();
    fence<memory_order::release, Crossing>();
    atomic_ref<std::uint32_t, scope::system>(with.flag()).fetch_add(1, memory_order::relaxed);
  } else if (blockIdx.x == 0) {
    with.look_early();
    await<scope::system>(with.flag(), memory_order::relaxed);
    fence<memory_order::acquire, Arriving>();
    fence<memory_order::release, scope::device>();
    raise<scope::device>(with.flag(2));
  } else {
    with.look_early();
    await<scope::device>(with.flag(2), memory_order::relaxed);
    fence<memory_order::acquire, scope::device>();
    with.check();
  }
}

TEST(several_gpus, one_fence_of_system_scope_passes_on_what_its_gpu_has_released) {
  expect_right(relay<all>, two, two_threads);
  expect_right(relay<all>, four, two_threads);
  EXPECT_EQ(race_on(relay<all>, two, two_threads), "");
}

TEST(several_gpus, one_fence_of_device_scope_does_not) {
  expect_only_weak_memory_breaks_on(relay<device>, two, two_threads);
  expect_only_weak_memory_breaks_on(relay<all, device>, two, two_threads);
  expect_race(race_on(relay<device>, two, two_threads), {"missing: "});
}

/// As hand_over(), with a thread beside the reader that reads the data all the time and acquires
/// nothing: what it finds, and leaves in the block's L1, may be old.
void hand_over_beside_a_reader(shared_words with) {
  if (with.grid == 0 && threadIdx.x == 0) {
    with.write();
    fence<memory_order::release, scope::system>();
    raise<scope::system>(with.flag());
  } else if (with.grid != 0 && threadIdx.x == 0) {
    await<scope::system>(with.flag(), memory_order::relaxed);
    fence<memory_order::acquire, scope::system>();
    with.check();
  } else if (with.grid != 0) {
    for (unsigned i = 0; i < 40; ++i) with.look_early();
  }
}

TEST(several_gpus, have_a_l1_no_younger_than_its_l2) {
  expect_right(hand_over_beside_a_reader, two, {.blocks = 1, .threads_per_block = 2});
}

/// All threads add to one word, whose sum the host checks.
template <scope Scope>
void add(shared_words with) {
  for (unsigned i = 0; i < 8; ++i)
    atomic_ref<std::uint32_t, Scope>(with.memory[counter_at]).fetch_add(1, memory_order::relaxed);
}

template <scope Scope>
unsigned seeds_that_lose_additions(const gpus& devices) {
  return wrong_seeds(litmus_seeds, simt::memory_kind::weak, [&] {
    const auto memory = zeroed_words(words);
    launch(add<Scope>, devices, two_threads, memory.device_data(), nullptr);
    return memory.to_host()[counter_at] != 2 * 8 * devices.size();
  });
}

TEST(several_gpus, lose_additions_of_device_scope) {
  EXPECT_EQ(seeds_that_lose_additions<all>(two), 0u);
  EXPECT_EQ(seeds_that_lose_additions<all>(eight), 0u);
  EXPECT_EQ(seeds_that_lose_additions<device>(twice_one), 0u);
  EXPECT_GT(seeds_that_lose_additions<device>(two), 0u);
  expect_race(race_on(add<device>, two), {"missing: system scope in both"});
}

/// The blocks of each GPU count by themselves, at device scope.
void add_on_own_word(shared_words with) {
  const device_ref counter(with.memory[counter_at + with.grid * far]);
  for (unsigned i = 1; i <= 8; ++i) {
    counter.fetch_add(1, memory_order::relaxed);
    if (counter.load(memory_order::relaxed) < i) *with.wrong = 1;
  }
  await<scope::device>(with.memory[counter_at + with.grid * far], memory_order::relaxed, 16);
}

TEST(several_gpus, count_by_themselves_at_device_scope) {
  expect_right(add_on_own_word, two, two_threads);
  expect_right(add_on_own_word, eight, two_threads);
  EXPECT_EQ(race_on(add_on_own_word, two, two_threads), "");
}

/// A word that grows, read at several scopes in turn, never seems to shrink.
void read_what_grows(shared_words with) {
  cell32& word = with.memory[0];
  if (with.grid == 0) {
    for (unsigned i = 1; i <= 12; ++i)
      atomic_ref<std::uint32_t, scope::system>(word).store(i, memory_order::relaxed);
    return;
  }
  std::uint32_t seen = 0;
  for (unsigned i = 0; i < 24; ++i) {
    const std::uint32_t now =
        i % 3 == 0   ? atomic_ref<std::uint32_t, scope::system>(word).load(memory_order::relaxed)
        : i % 3 == 1 ? device_ref(word).load(memory_order::relaxed)
                     : std::uint32_t{word};
    if (now < seen) *with.wrong = 1;
    seen = now;
  }
}

TEST(several_gpus, never_see_a_word_go_back) {
  expect_right(read_what_grows, two);
}

/// Rank 0 of each cluster passes data to rank 1, on the last GPU.
template <scope Release>
void hand_over_in_cluster(shared_words with) {
  if (with.grid != with.grids - 1) return;
  if (cluster_rank() == 0) {
    with.write();
    fence<memory_order::release, Release>();
    raise<scope::device>(with.flag());
  } else {
    with.look_early();
    await<scope::device>(with.flag(), memory_order::relaxed);
    fence<memory_order::acquire, scope::cluster>();
    with.check();
  }
}

TEST(several_gpus, have_clusters) {
  constexpr launch_shape cluster{.blocks = 2, .threads_per_block = 1, .cluster_blocks = 2};
  expect_right(hand_over_in_cluster<scope::cluster>, two, cluster);
  expect_only_weak_memory_breaks_on(hand_over_in_cluster<scope::block>, two, cluster);
}

void note_place(shared_words with) {
  if (gridDim.x != 2) *with.wrong = 1;
  with.memory[with.grid * far + blockIdx.x] = sm_id() + 1;
}

std::vector<std::uint32_t> places_of_blocks(const gpus& devices) {
  const auto memory = zeroed_words(words);
  const auto wrong = zeroed_words(1);
  launch(note_place, devices, two_threads, memory.device_data(), wrong.device_data());
  EXPECT_EQ(wrong.to_host()[0], 0u);
  const auto found = memory.to_host();
  return {found[0], found[1], found[far], found[far + 1]};
}

TEST(several_gpus, have_their_own_sms) {
  const simt::scoped_settings use(round_robin());
  const auto apart = places_of_blocks(two);
  EXPECT_EQ(apart[0], apart[2]);
  EXPECT_EQ(apart[1], apart[3]);
  auto together = places_of_blocks(twice_one);
  std::sort(together.begin(), together.end());
  EXPECT_EQ(std::unique(together.begin(), together.end()), together.end());
  EXPECT_EQ(std::count(apart.begin(), apart.end(), 0u), 0);
}

TEST(several_gpus, refuse_grids_that_do_not_fit_together) {
  const unsigned fitting = max_resident_blocks(add<scope::system>, 32);
  const launch_shape most{.blocks = fitting, .threads_per_block = 32};
  const auto memory = zeroed_words(words);
  const auto start = [&](const gpus& devices, const launch_shape& shape) {
    launch(add<scope::system>, devices, shape, memory.device_data(), nullptr);
  };
  EXPECT_NO_THROW(start(two, most));
  EXPECT_THROW(start(twice_one, most), launch_error);
  EXPECT_NO_THROW(start(twice_one, {.blocks = fitting / 2, .threads_per_block = 32}));
}

void wait_for_ever(shared_words with) {
  if (with.grid == 1 && blockIdx.x == 1) await<scope::system>(with.flag(), memory_order::relaxed);
}

TEST(several_gpus, a_wait_for_ever_is_reported_with_its_gpu) {
  expect_stuck(ending_of([&] { goes_wrong_on(wait_for_ever, two, two_threads); }),
               simt::fault_kind::livelock, {"block 1 of GPU 1, thread 0"});
}

}  // namespace
}  // namespace simt_test::several_gpus_test
