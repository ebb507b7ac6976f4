// The race detector: what orders two accesses, and what does not. Each kernel occurs with all
// required operations, and with one of them missing.
#include "races.hpp"

#include <finesync/device/cluster.cuh>
#include <finesync/device/shared_storage.cuh>

namespace simt_test::race_test {
namespace {

// Message passing: one block or thread writes and raises a flag, the other waits and reads.

template <memory_order Release, memory_order Acquire, scope Scope = scope::device>
void pass_message(cell32* words, bool writer) {
  if (writer) {
    words[0] = 1;
    atomic_ref<std::uint32_t, Scope>(words[far]).store(1, Release);
  } else {
    await<Scope>(words[far], Acquire);
    words[2 * far] = words[0] + 0u;
  }
}

template <memory_order Release, memory_order Acquire, scope Scope = scope::device>
void between_blocks(cell32* words) {
  pass_message<Release, Acquire, Scope>(words, blockIdx.x == 0);
}

template <memory_order Release, memory_order Acquire, scope Scope = scope::device>
void between_lanes(cell32* words) {
  pass_message<Release, Acquire, Scope>(words, threadIdx.x == 0);
}

using enum memory_order;

TEST(races, a_message_released_and_acquired_has_none) {
  EXPECT_EQ(race_of(between_blocks<release, acquire>, 2), "");
  EXPECT_EQ(race_of(between_lanes<release, acquire, scope::block>, 1, 2), "");
}

TEST(races, a_message_not_released_is_one) {
  expect_race(race_of(between_blocks<relaxed, acquire>, 2),
              {"block 0, thread 0", "block 1, thread 0", "plain store of 4 bytes", "plain load",
               "missing: a device-scope release by block 0, thread 0 after its plain store"});
}

TEST(races, a_message_not_acquired_is_one) {
  expect_race(race_of(between_blocks<release, relaxed>, 2),
              {"missing: a device-scope acquire between"});
}

TEST(races, a_flag_of_block_scope_between_blocks_is_one) {
  expect_race(race_of(between_blocks<release, acquire, scope::block>, 2),
              {"both are atomic; missing: device scope in both"});
}

// System scope includes device scope.
TEST(races, a_message_of_system_scope_has_none) {
  EXPECT_EQ(race_of(between_blocks<release, acquire, scope::system>, 2), "");
  EXPECT_EQ(race_of(between_lanes<release, acquire, scope::system>, 1, 2), "");
}

TEST(races, a_message_of_system_scope_is_released_and_acquired_like_any) {
  expect_race(race_of(between_blocks<relaxed, acquire, scope::system>, 2),
              {"plain store of 4 bytes", "missing: a device-scope release by"});
  expect_race(race_of(between_blocks<release, relaxed, scope::system>, 2),
              {"missing: a device-scope acquire between"});
}

template <scope Writers, scope Readers>
void flag_of_two_scopes(cell32* words) {
  if (blockIdx.x == 0) {
    atomic_ref<std::uint32_t, Writers>(words[far]).store(1, release);
  } else {
    await<Readers>(words[far], acquire);
  }
}

TEST(races, each_scope_must_include_the_other_thread) {
  EXPECT_EQ(race_of(flag_of_two_scopes<scope::system, scope::device>, 2), "");
  EXPECT_EQ(race_of(flag_of_two_scopes<scope::device, scope::system>, 2), "");
  expect_race(race_of(flag_of_two_scopes<scope::system, scope::block>, 2),
              {"system-scope atomic store", "block-scope atomic load", "missing: device scope"});
}

TEST(races, reports_tell_the_line_of_both_accesses) {
  const std::string report = race_of(between_blocks<relaxed, acquire>, 2);
  const auto lines = [&](std::size_t from) { return report.find("(race_test.cpp:", from); };
  if (lines(0) == std::string::npos) GTEST_SKIP() << "no addr2line that knows: " << report;
  EXPECT_NE(lines(lines(0) + 1), std::string::npos) << report;
}

// The same by fences.

template <scope Release, scope Acquire>
void by_fences(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    fence<release, Release>();
    flag_of(words).store(1, relaxed);
  } else {
    await<scope::device>(words[far], relaxed);
    fence<acquire, Acquire>();
    words[2 * far] = words[0] + 0u;
  }
}

TEST(races, a_fence_of_system_scope_does_for_one_of_device_scope) {
  EXPECT_EQ(race_of(by_fences<scope::system, scope::device>, 2), "");
  EXPECT_EQ(race_of(by_fences<scope::device, scope::system>, 2), "");
  expect_race(race_of(by_fences<scope::block, scope::system>, 2),
              {"at a narrower scope; missing: device scope"});
}

TEST(races, fences_order_what_their_scope_includes) {
  EXPECT_EQ(race_of(by_fences<scope::device, scope::device>, 2), "");
  expect_race(race_of(by_fences<scope::block, scope::device>, 2),
              {"released since, but at a narrower scope; missing: device scope"});
  expect_race(race_of(by_fences<scope::device, scope::block>, 2),
              {"missing: a device-scope acquire between"});
}

void fence_behind_the_flag(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    flag_of(words).store(1, relaxed);
    fence<release, scope::device>();
  } else {
    await<scope::device>(words[far], acquire);
    words[2 * far] = words[0] + 0u;
  }
}

TEST(races, a_fence_behind_the_flag_is_too_late) {
  expect_race(race_of(fence_behind_the_flag, 2), {"missing: a device-scope release"});
}

// Release sequences: a third thread between the two.

template <bool ReadsAndWrites>
void through_a_third(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    flag_of(words).store(1, release);
  } else if (blockIdx.x == 1) {
    await<scope::device>(words[far], relaxed);
    if (ReadsAndWrites)
      flag_of(words).fetch_add(1, relaxed);
    else
      flag_of(words).store(2, relaxed);
  } else {
    await<scope::device>(words[far], acquire, 2);
    words[2 * far] = words[0] + 0u;
  }
}

TEST(races, a_read_modify_write_hands_a_release_on_and_a_store_does_not) {
  EXPECT_EQ(race_of(through_a_third<true>, 3), "");
  expect_race(race_of(through_a_third<false>, 3),
              {"block 1, thread 0 has read what block 0, thread 0 released",
               "acquire between the atomic load", "and its atomic store"});
}

/// Block 1 observes what block 0 has released, and sets it back; block 2 reads that.
template <bool IsPlain>
void set_back_by_another(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    flag_of(words).fetch_add(1, release);
  } else if (blockIdx.x == 1) {
    await<scope::device>(words[far], relaxed);
    if (IsPlain) words[far] = 5u;
    device_ref(words[3 * far]).store(1, release);
  } else {
    await<scope::device>(words[3 * far], acquire);
    static_cast<void>(flag_of(words).load(acquire));
    words[2 * far] = words[0] + 0u;
  }
}

TEST(races, a_plain_store_ends_what_was_released_before_it) {
  EXPECT_EQ(race_of(set_back_by_another<false>, 3), "");
  expect_race(race_of(set_back_by_another<true>, 3), {"plain load", "block 0, thread 0"});
}

template <memory_order Middle>
void transitively(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    flag_of(words).store(1, release);
  } else if (blockIdx.x == 1) {
    await<scope::device>(words[far], Middle);
    device_ref(words[3 * far]).store(1, release);
  } else {
    await<scope::device>(words[3 * far], acquire);
    words[2 * far] = words[0] + 0u;
  }
}

TEST(races, order_goes_through_a_third_that_acquires) {
  EXPECT_EQ(race_of(transitively<acquire>, 3), "");
  expect_race(race_of(transitively<relaxed>, 3), {});
}

// Lanes and blocks.

enum class meeting { none, shuffle, warp };

template <meeting How>
void acquired_by_one_lane(cell32* words) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    words[0] = 1;
    flag_of(words).store(1, release);
    return;
  }
  if (threadIdx.x == 0) await<scope::device>(words[far], acquire);
  if (How == meeting::warp) __syncwarp();
  if (How == meeting::shuffle) static_cast<void>(__shfl_sync(full_warp, 1, 0));
  words[(2 + threadIdx.x % 4) * far] = 0u;
  if (threadIdx.x == 1) words[7 * far] = words[0] + 0u;
}

TEST(races, what_one_lane_acquires_others_have_after_syncwarp_alone) {
  EXPECT_EQ(race_of(acquired_by_one_lane<meeting::warp>, 2, 4), "");
  expect_race(race_of(acquired_by_one_lane<meeting::shuffle>, 2, 4), {"block 1, thread 1"});
}

template <bool Meets>
void neighbours(cell32* words) {
  words[threadIdx.x] = threadIdx.x;
  if (Meets) __syncthreads();
  words[far + threadIdx.x] = words[(threadIdx.x + 1) % blockDim.x] + 0u;
}

TEST(races, syncthreads_orders_a_block) {
  EXPECT_EQ(race_of(neighbours<true>, 1, 8), "");
  expect_race(race_of(neighbours<false>, 1, 8), {"missing: __syncwarp() between them"});
}

template <bool Fenced>
void relaxed_cluster_barrier(cell32* words) {
  if (threadIdx.x == 0) words[0] = 1;
  if (Fenced) fence<release, scope::cluster>();
  cluster_sync<relaxed>();
  if (threadIdx.x == 40) words[far] = words[0] + 0u;
}

TEST(races, a_relaxed_cluster_barrier_takes_a_fence) {
  EXPECT_EQ(race_of(relaxed_cluster_barrier<true>, 1, 64), "");
  expect_race(race_of(relaxed_cluster_barrier<false>, 1, 64), {"missing: a", "release by"});
}

struct own_word {
  cell32 word;
};

void each_block_its_own() {
  auto& shared = shared_storage<own_word>();
  if (threadIdx.x == 0) shared.word = blockIdx.x;
}

TEST(races, shared_memory_of_blocks_that_follow_each_other_is_not_the_same) {
  const launch_shape shape{
      .blocks = 100, .threads_per_block = 32, .shared_bytes = sizeof(own_word)};
  EXPECT_EQ(race_in([&] { launch_independent(each_block_its_own, shape); }, 3), "");
}

void all_blocks_write_one_word(cell32* words) {
  if (threadIdx.x == 0) words[0] = blockIdx.x;
}

TEST(races, a_block_does_not_know_of_the_one_whose_place_it_takes) {
  expect_race(race_in([] {
                simt::settings how = simt::current_settings();
                how.gpu.sms = how.gpu.max_blocks_per_sm = 1;
                const simt::scoped_settings one_at_a_time(how);
                words_after<independent>(all_blocks_write_one_word,
                                         {.blocks = 2, .threads_per_block = 32}, {1});
              }),
              {"block 1, thread 0", "block 0, thread 0"});
}

// Bytes.

void bytes_side_by_side(cell32* words) {
  auto* bytes = reinterpret_cast<cell<std::uint8_t>*>(words);
  bytes[blockIdx.x] = 1;
}

void byte_and_word(cell32* words) {
  if (blockIdx.x == 0)
    reinterpret_cast<cell<std::uint8_t>*>(words)[3] = 1;
  else
    words[0] = 7;
}

void atomics_of_two_widths(cell32* words) {
  if (blockIdx.x == 0)
    device_ref(words[1]).fetch_add(1, relaxed);
  else
    atomic_ref<std::uint64_t, scope::device>(*reinterpret_cast<cell64*>(words))
        .fetch_add(1, relaxed);
}

void atomic_and_plain(cell32* words) {
  if (blockIdx.x == 0)
    device_ref(words[0]).fetch_add(1, relaxed);
  else
    words[1] = words[0] + 0u;
}

TEST(races, go_by_bytes) {
  EXPECT_EQ(race_of(bytes_side_by_side, 4), "");
  expect_race(race_of(byte_and_word, 2), {"of 1 bytes", "of 4 bytes"});
}

TEST(races, atomics_are_none_among_each_other_when_of_the_same_bytes) {
  EXPECT_EQ(race_of([](cell32* words) { device_ref(words[0]).fetch_add(1, relaxed); }, 4, 32), "");
  expect_race(race_of(atomics_of_two_widths, 2), {"access different bytes"});
  expect_race(race_of(atomic_and_plain, 2), {"device-scope fetch_add", "plain load"});
}

TEST(races, reads_are_none_among_each_other) {
  EXPECT_EQ(race_of([](cell32* words) { static_cast<void>(words[0] + 0u); }, 4, 32), "");
}

// Sequentially consistent fences order later ones.

template <memory_order Order, scope Writers = scope::device, scope Readers = scope::device>
void hand_over_by_look(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    fence<Order, Writers>();
    flag_of(words).store(1, relaxed);
  } else if (flag_of(words).load(relaxed) == 1) {
    fence<Order, Readers>();
    words[2 * far] = words[0] + 0u;
  }
}

TEST(races, sequentially_consistent_fences_release_and_acquire) {
  EXPECT_EQ(race_of(hand_over_by_look<seq_cst>, 2), "");
  EXPECT_EQ(race_of(hand_over_by_look<acq_rel>, 2), "");
  expect_race(race_of(hand_over_by_look<release>, 2), {"missing: a device-scope acquire"});
}

TEST(races, sequentially_consistent_fences_order_only_whom_their_scope_includes) {
  expect_race(race_of(hand_over_by_look<seq_cst, scope::block, scope::device>, 2),
              {"at a narrower scope; missing: device scope"});
  expect_race(race_of(hand_over_by_look<seq_cst, scope::device, scope::block>, 2),
              {"missing: a device-scope acquire"});
}

// All earlier accesses count, not only the last.

/// Block 0 reads, then block 1. Block 2 writes, ordered after the last read or after both.
template <memory_order BetweenReads>
void read_twice_then_write(cell32* words) {
  if (blockIdx.x == 1) await<scope::device>(words[far], BetweenReads);
  if (blockIdx.x == 2) {
    await<scope::device>(words[2 * far], acquire);
    words[0] = 1;
    return;
  }
  static_cast<void>(words[0] + 0u);
  device_ref(words[(1 + blockIdx.x) * far]).store(1, release);
}

TEST(races, with_an_earlier_reader_are_found_behind_a_later_one) {
  EXPECT_EQ(race_of(read_twice_then_write<acquire>, 3), "");
  expect_race(race_of(read_twice_then_write<relaxed>, 3),
              {"plain store", "plain load of 4 bytes by block 0"});
}

TEST(races, are_not_looked_for_in_weak_memory) {
  simt::settings how = looking_for_races(1);
  how.memory = simt::memory_kind::weak;
  const simt::scoped_settings use(how);
  EXPECT_THROW(words_after(sound_kernel, {.threads_per_block = 64}, {1}), std::invalid_argument);
}

TEST(races, nobody_looks_unless_told_to) {
  const simt::scoped_settings use(simt::random_schedule(1));
  EXPECT_NO_THROW(words_after(between_blocks<relaxed, relaxed>,
                              {.blocks = 2, .threads_per_block = 1}, {8 * far}));
}

}  // namespace
}  // namespace simt_test::race_test
