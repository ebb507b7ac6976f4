// Barriers of a whole block divide its accesses into phases, which the race detector compares
// without a look at its clocks.
#include "races.hpp"

#include <finesync/device/shared_storage.cuh>

namespace simt_test::race_phase_test {
namespace {

using enum memory_order;

// Of two threads in each block.
constexpr unsigned threads = 2;

void signal(cell32* words, unsigned which) {
  device_ref(words[which * far]).store(1, relaxed);
}
void await_signal(cell32* words, unsigned which) {
  await<scope::device>(words[which * far], relaxed);
}
void add_one(cell32* words) {
  device_ref(words[0]).fetch_add(1, relaxed);
}
void read_plainly(cell32* words) {
  static_cast<void>(*words + 0u);
}

void barriers_of_the_other_block_alone(cell32* words) {
  if (blockIdx.x == 1) __syncthreads();
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    words[0] = 1;
    signal(words, 1);
  } else {
    await_signal(words, 1);
    read_plainly(words);
  }
}

void an_atomic_of_the_other_block_between(cell32* words) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    await_signal(words, 1);
    add_one(words);
    signal(words, 2);
    return;
  }
  if (threadIdx.x == 0) {
    add_one(words);
    signal(words, 1);
    await_signal(words, 2);
  }
  __syncthreads();
  if (threadIdx.x == 1) read_plainly(words);
}

/// \tparam Again whether the thread adds after the barrier, too.
template <bool Again>
void atomics_and_a_barrier(cell32* words) {
  if (threadIdx.x == 0) add_one(words);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (Again) add_one(words);
    signal(words, 1);
  } else {
    await_signal(words, 1);
    read_plainly(words);
  }
}

struct own_counter {
  cell32 word;
};

/// No barrier: after one a thread knows what earlier threads did in the places of its block.
void an_own_counter(cell32* words) {
  auto& shared = shared_storage<own_counter>();
  cell32& flag = words[(1 + blockIdx.x) * far];
  if (threadIdx.x == blockIdx.x % threads) {  // the other one in the next block
    block_ref(shared.word).fetch_add(1, relaxed);
    block_ref(flag).store(1, release);
  } else {
    await<scope::block>(flag, acquire);
    read_plainly(&shared.word);
  }
}

}  // namespace

TEST(race_phases, end_with_barriers_of_the_block_itself) {
  expect_race(race_of(barriers_of_the_other_block_alone, 2, threads),
              {"plain load of 4 bytes by block 1", "plain store of 4 bytes by block 0"});
}

TEST(race_phases, of_one_block_say_nothing_of_an_atomic_of_another) {
  expect_race(race_of(an_atomic_of_the_other_block_between, 2, threads),
              {"plain load of 4 bytes by block 1, thread 1", "by block 0, thread 0"});
}

TEST(race_phases, hold_all_atomics_before_the_barrier_and_none_after_it) {
  EXPECT_EQ(race_of(atomics_and_a_barrier<false>, 1, threads), "");
  expect_race(race_of(atomics_and_a_barrier<true>, 1, threads),
              {"plain load of 4 bytes by block 0, thread 1", "by block 0, thread 0"});
}

TEST(race_phases, of_a_block_know_no_atomics_of_the_one_before_it) {
  const launch_shape shape{
      .blocks = 2, .threads_per_block = threads, .shared_bytes = sizeof(own_counter)};
  EXPECT_EQ(race_in(
                [&] {
                  simt::settings how = simt::current_settings();
                  how.gpu.sms = how.gpu.max_blocks_per_sm = 1;
                  const simt::scoped_settings one_at_a_time(how);
                  words_after<independent>(an_own_counter, shape, {8 * far});
                },
                1),
            "");
}

}  // namespace simt_test::race_phase_test
