// Fermi's lock unit: the listings of ICS'15 run on it, their cost, and its two deadlocks. Compiled
// without optimization, as lockstep requires (settings.hpp).
#include "lock_bits.hpp"

#include "races.hpp"

#include <tests/counted.hpp>

namespace simt_test::lock_bits_test {
namespace {

using finesync::test::record_count;

/// Listing 3: one iteration of the outer loop, around that of atomicCAS(). \returns whether it
/// acquired the mutex.
bool try_spin_lock(cell32& mutex) {
  locked found{};
  issue();  // SSY
  do {
    found = ldslk(mutex);
    issue(2);  // ISETP, SEL
    if (found.acquired) {
      stsul(mutex, found.value == 0 ? 1 : found.value);
    } else {
      issue();  // STSUL, not executed
    }
    issue();  // BRA
  } while (!found.acquired);
  issue(2);  // ISETP, BRA
  return found.value == 0;
}

void spin_lock(cell32& mutex) {
  while (!try_spin_lock(mutex)) {
  }
}

/// Listing 3, which prints a 1 instead of the stored 0.
void spin_unlock(cell32& mutex) {
  bool acquired = false;
  do {
    acquired = ldslk(mutex).acquired;
    issue();  // MOV32I
    if (acquired) {
      stsul(mutex, 0);
    } else {
      issue();
    }
    issue();  // BRA
  } while (!acquired);
}

/// Listing 4: an iteration of Waitlock; Listing 6 keeps its value.
locked try_tiny_lock(cell32& word) {
  const auto found = ldslk(word);
  issue();  // BRA
  return found;
}

std::uint32_t tiny_wait(cell32& word) {
  locked found{};
  do {
    found = try_tiny_lock(word);
  } while (!found.acquired);
  return found.value;
}

unsigned instructions_of(void (*kernel)()) {
  instructions_issued = 0;
  launch_with_lock_bits(kernel, 1);
  return instructions_issued;
}

unsigned stores_of(void (*kernel)()) {
  stores_done = 0;
  launch_with_lock_bits(kernel, 1);
  return stores_done;
}

void one_spin_lock() {
  stsul(words()[0], 0);
  spin_lock(words()[0]);
}
void one_tiny_lock() {
  stsul(words()[0], 0);
  tiny_wait(words()[0]);
}
void one_spin_unlock() {
  spin_unlock(words()[0]);
}
void one_tiny_unlock() {
  stsul(words()[0], 0);
}
void one_turn_of_a_spin_lock_that_waits() {
  stsul(words()[0], 1);
  try_spin_lock(words()[0]);
}
void one_turn_of_a_tiny_lock_that_waits() {
  ldslk(words()[0]);
  try_tiny_lock(words()[0]);
}

/// Records by how many percent the tiny-lock needs fewer.
void expect_instructions(const char* of, unsigned spin, unsigned tiny, unsigned expected_spin,
                         unsigned expected_tiny) {
  EXPECT_EQ(spin, expected_spin) << of;
  EXPECT_EQ(tiny, expected_tiny) << of;
  record_count("I06", of, 100.0 * (spin - tiny) / spin);
}

TEST(lock_bits, saves_three_instructions_of_four) {
  expect_instructions("lock", instructions_of(one_spin_lock) - 1,
                      instructions_of(one_tiny_lock) - 1, 8, 2);
  expect_instructions("unlock", instructions_of(one_spin_unlock), instructions_of(one_tiny_unlock),
                      4, 1);
  expect_instructions("turn of waiting", instructions_of(one_turn_of_a_spin_lock_that_waits) - 1,
                      instructions_of(one_turn_of_a_tiny_lock_that_waits) - 1, 8, 2);
}

// The first store of the spin lock's kernel is that of the taken mutex.
TEST(lock_bits, store_nothing_while_a_tiny_lock_waits) {
  const unsigned tiny = stores_of(one_turn_of_a_tiny_lock_that_waits);
  const unsigned spin = stores_of(one_turn_of_a_spin_lock_that_waits) - 1;
  EXPECT_EQ(tiny, 0u);
  EXPECT_EQ(spin, 1u);
  record_count("I15", "tiny-lock", tiny);
  record_count("I15", "spin", spin);
}

/// Listing 5: from a thread of the first warp to its neighbour of the second.
void hand_over_by_spin_locks(cell32* got) {
  const unsigned lane = threadIdx.x % 32;
  cell32& mutex = words()[lane];
  cell32& buffer = words()[64 + lane];
  const bool produces = threadIdx.x < 32;
  if (produces) {
    stsul(mutex, 0);
    spin_lock(mutex);
  }
  __syncthreads();
  if (produces) {
    buffer = 100 + lane;
    spin_unlock(mutex);
  } else {
    spin_lock(mutex);
    got[lane] = buffer;
    spin_unlock(mutex);
  }
}

/// Listing 6: the same, with the word as its own lock.
void hand_over_by_lock_bits(cell32* got) {
  const unsigned lane = threadIdx.x % 32;
  cell32& word = words()[lane];
  const bool produces = threadIdx.x < 32;
  if (produces) ldslk(word);
  __syncthreads();
  if (produces) {
    stsul(word, 100 + lane);
  } else {
    const std::uint32_t value = tiny_wait(word);
    got[lane] = value;
    stsul(word, value);
  }
}

/// The same without a test of the lock bit.
void hand_over_unlocked(cell32* got) {
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) ldslk(words()[lane]);
  __syncthreads();
  if (threadIdx.x < 32) {
    stsul(words()[lane], 100 + lane);
  } else {
    got[lane] = block_ref(words()[lane]).load(memory_order::relaxed);
  }
}

/// Listing 9: one lock bit for a warp, and the payload of all lanes.
void hand_over_by_a_shared_lock_bit(cell32* got) {
  const unsigned lane = threadIdx.x % 32;
  cell32& word = words()[0];
  cell32& payload = words()[64 + lane];
  const bool produces = threadIdx.x < 32;
  if (produces) ldslk(word);
  __syncthreads();
  if (produces) {
    payload = 100 + lane;
    __syncwarp();
    if (lane == 0) stsul(word, 0);
  } else {
    while (!__any_sync(full_warp, ldslk(word).acquired)) {
    }
    __syncwarp();
    got[lane] = payload;
    __syncwarp();
    if (lane == 0) stsul(word, 0);
  }
}

bool is_wrong(void (*kernel)(cell32*)) {
  const buffer<std::uint32_t> got = zeroed_words(32);
  launch_with_lock_bits(kernel, 64, got.device_data());
  const std::vector<std::uint32_t> found = got.to_host();
  for (unsigned lane = 0; lane < 32; ++lane)
    if (found[lane] != 100 + lane) return true;
  return false;
}

TEST(lock_bits, hands_over_from_warp_to_warp) {
  for (const auto kernel :
       {hand_over_by_spin_locks, hand_over_by_lock_bits, hand_over_by_a_shared_lock_bit}) {
    for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak})
      EXPECT_EQ(wrong_seeds(100, memory, [&] { return is_wrong(kernel); }), 0u);
    EXPECT_EQ(race_in([&] { is_wrong(kernel); }), "");
    const simt::scoped_settings use(scheduled(simt::schedule_kind::lockstep));
    EXPECT_FALSE(is_wrong(kernel));
  }
}

TEST(lock_bits, that_nobody_asks_hands_over_nothing) {
  EXPECT_GT(wrong_seeds(20, simt::memory_kind::strong, [] { return is_wrong(hand_over_unlocked); }),
            0u);
}

/// Listing 6 within a warp, from each even lane to the next odd one.
void hand_over_in_a_warp(cell32* got) {
  const unsigned lane = threadIdx.x;
  cell32& word = words()[lane / 2];
  if (lane % 2 == 0) ldslk(word);
  __syncthreads();
  std::uint32_t value = 100 + lane;
  if (lane % 2 == 1) value = tiny_wait(word);
  stsul(word, value);
  got[lane] = value;
}

/// Listing 8: every lane in turn adds one to a word, under its lock bit, inside the loop.
void count_in_a_warp(cell32* got) {
  cell32& word = words()[0];
  if (threadIdx.x == 0) stsul(word, 0);
  __syncthreads();
  bool finished = false;
  while (!finished) {
    const auto found = ldslk(word);
    if (found.acquired) {
      got[found.value] = 100 + found.value;
      stsul(word, found.value + 1);
      finished = true;
    }
  }
}

/// Listing 7: the same under a spin lock.
void count_in_a_warp_by_spin_lock(cell32* got) {
  cell32& mutex = words()[0];
  cell32& count = words()[1];
  if (threadIdx.x == 0) {
    stsul(mutex, 0);
    count = 0;
  }
  __syncthreads();
  bool finished = false;
  while (!finished) {
    if (try_spin_lock(mutex)) {
      const std::uint32_t value = count;
      got[value] = 100 + value;
      count = value + 1;
      spin_unlock(mutex);
      finished = true;
    }
  }
}

std::vector<std::uint32_t> hundred_and_on(unsigned step) {
  std::vector<std::uint32_t> all(32);
  for (unsigned i = 0; i < 32; ++i) all[i] = 100 + i / step * step;
  return all;
}

TEST(lock_bits, within_a_warp_in_lockstep_is_a_simd_deadlock) {
  const buffer<std::uint32_t> got = zeroed_words(32);
  const auto launch = [&] { launch_with_lock_bits(hand_over_in_a_warp, 32, got.device_data()); };
  {
    const simt::scoped_settings use(scheduled(simt::schedule_kind::lockstep));
    const ending end = ending_of(launch);
    expect_stuck(end, simt::fault_kind::livelock,
                 {"1 poll shared memory +0x4, which holds 2 (last written by block 0, thread 2, "});
    record_count("I09", "release outside the loop", end.stuck, 1);
  }
  launch();  // lanes are scheduled individually
  EXPECT_EQ(got.to_host(), hundred_and_on(2));
}

TEST(lock_bits, within_a_warp_goes_well_inside_the_loop) {
  unsigned runs = 0;
  unsigned stuck = 0;
  for (const auto kernel : {count_in_a_warp, count_in_a_warp_by_spin_lock}) {
    for (const auto schedule : {simt::schedule_kind::lockstep, simt::schedule_kind::random}) {
      const simt::scoped_settings use(scheduled(schedule));
      const buffer<std::uint32_t> got = zeroed_words(32);
      const ending end = ending_of([&] { launch_with_lock_bits(kernel, 32, got.device_data()); });
      ++runs;
      stuck += end.stuck ? 1 : 0;
      EXPECT_FALSE(end.stuck) << end.report;
      EXPECT_EQ(got.to_host(), hundred_and_on(1));
    }
  }
  record_count("I09", "inside", stuck, runs);
}

void lock_own_alias() {
  ldslk(words()[3]);
  tiny_wait(words()[3 + lock_bits]);
}

/// Each thread locks a word, `apart` from the next, before a barrier of all.
void lock_many(unsigned apart) {
  tiny_wait(words()[threadIdx.x * apart]);
  __syncthreads();
  stsul(words()[threadIdx.x * apart], 1);
}

TEST(lock_bits, has_1024_bits_and_an_alias_deadlock_beyond) {
  {
    const simt::scoped_settings use(on_gpu("h200"));
    const ending all = ending_of([] { launch_with_lock_bits(lock_many, 1024, 1u); });
    EXPECT_FALSE(all.stuck) << all.report;
    record_count("I08", "1,024 locks", all.stuck, 1);
  }
  const ending own = ending_of([] { launch_with_lock_bits(lock_own_alias, 1); });
  expect_stuck(own, simt::fault_kind::livelock,
               {"1 poll shared memory +0xc, which holds 4 (last written by block 0, thread 0, "});
  record_count("I08", "own alias", own.stuck, 1);
  // Two words 1,024 apart are one too many.
  const ending two = ending_of([] { launch_with_lock_bits(lock_many, 2, unsigned{lock_bits}); });
  expect_stuck(two, simt::fault_kind::livelock,
               {"1 at __syncthreads()",
                "1 poll shared memory +0x0, which holds 1 (last written by block 0, thread 0, "});
  record_count("I08", "alias of another thread", two.stuck, 1);
}

}  // namespace
}  // namespace simt_test::lock_bits_test
