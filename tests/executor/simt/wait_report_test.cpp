// Launches in which threads wait forever, their reports, and long launches that do not hang.
#include "harness.hpp"

#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/shared_storage.cuh>

namespace simt_test::wait_report_test {
namespace {
using simt::fault_kind;

__global__ void half_at_barrier_half_in_vote() {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

TEST(wait_report, deadlock_of_barrier_and_collective) {
  expect_stuck(ending_of(half_at_barrier_half_in_vote, {}), fault_kind::deadlock,
               {"32 live threads", "16 at __syncthreads()", "16 at a warp collective"});
}

/// Block 1, thread 3 writes 7; all wait for 8.
__global__ void wait_for_wrong_value(cell32* word) {
  if (blockIdx.x == 1 && threadIdx.x == 3) device_ref(*word).store(7, memory_order::release);
  while (device_ref(*word).load(memory_order::acquire) != 8) {
  }
}

TEST(wait_report, livelock_names_address_value_and_last_writer) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    const simt::scoped_settings use(simt::random_schedule(3, memory));
    const buffer<std::uint32_t> words = zeroed_words(2 * far);
    expect_stuck(ending_of(wait_for_wrong_value, {.blocks = 2, .threads_per_block = 64},
                           words.device_data() + far),
                 fault_kind::livelock,
                 {"128 live threads",
                  "128 poll buffer 1 (64 x unsigned int) + 0x80 (element 32), which holds 7",
                  "last written by block 1, thread 3"});
  }
}

/// Block 1 adds seven times; all wait for 8.
__global__ void wait_for_one_more(cell32* word) {
  if (blockIdx.x == 1)
    for (unsigned i = 0; i < 7; ++i) device_ref(*word).fetch_add(1, memory_order::relaxed);
  while (device_ref(*word).load(memory_order::relaxed) != 8) {
  }
}

TEST(wait_report, livelock_names_who_last_changed_what_was_there) {
  expect_stuck(ending_of(wait_for_one_more, {.blocks = 2, .threads_per_block = 1}, {1}),
               fault_kind::livelock,
               {"+ 0x0 (element 0), which holds 7", "last written by block 1, thread 0"});
}

/// Block 1 sets back what block 0 has raised, and then waits for it.
__global__ void wait_for_what_is_set_back(cell32* word) {
  const device_ref flag(*word);
  if (blockIdx.x == 0) {
    flag.store(1, memory_order::relaxed);
  } else {
    while (flag.load(memory_order::relaxed) != 1) {
    }
    flag.store(0, memory_order::relaxed);
    while (flag.load(memory_order::relaxed) != 1) {
    }
  }
}

TEST(wait_report, livelock_names_who_overwrote_what_may_be_waited_for) {
  expect_stuck(ending_of(wait_for_what_is_set_back, {.blocks = 2, .threads_per_block = 1}, {1}),
               fault_kind::livelock, {"which overwrote it, only after all have seen it"});
}

std::uint64_t polls_of_one = 0;

/// One thread polls a word for good, the others wait for it. A thread that reads the clock may mean
/// to end its loop.
__global__ void poll_beside_a_barrier(cell32* word, bool reads_clock) {
  if (threadIdx.x == 0) {
    if (reads_clock) simt::clock_ns();
    for (polls_of_one = 0; device_ref(*word).load(memory_order::relaxed) == 0;) ++polls_of_one;
  }
  __syncthreads();
}

std::uint64_t polls_before_the_end(bool reads_clock) {
  constexpr unsigned threads = 256;
  const ending end =
      ending_of(poll_beside_a_barrier, {.threads_per_block = threads}, {1}, reads_clock);
  expect_stuck(end, fault_kind::livelock, {"255 at __syncthreads()"});
  return polls_of_one;
}

TEST(wait_report, livelock_beside_a_barrier_is_found_soon_unless_the_clock_is_read) {
  EXPECT_LT(polls_before_the_end(false), 50'000u);
  EXPECT_GT(polls_before_the_end(true), 1'000'000u);
}

/// The lanes of a warp take turns. Each reads a word that no thread writes.
__global__ void read_in_turn(cell32* word) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; threadIdx.x == lane && i < 1000; ++i)
      static_cast<void>(device_ref(*word).load(memory_order::relaxed));
    __syncwarp();
  }
}

TEST(wait_report, lanes_that_each_end_their_loop_are_not_stuck) {
  for (const auto kind : {simt::schedule_kind::round_robin, simt::schedule_kind::random}) {
    simt::settings how = simt::current_settings();
    how.schedule = kind;
    const simt::scoped_settings use(how);
    const ending end = ending_of(read_in_turn, {.threads_per_block = 32}, {1});
    EXPECT_FALSE(end.stuck) << end.report;
  }
}

__global__ void wait_asleep(cell32* word) {
  while (device_ref(*word).exchange(0, memory_order::relaxed) == 0) sleep_ns(50'000);
}

TEST(wait_report, livelock_of_sleepers_on_a_word_that_nobody_wrote) {
  expect_stuck(ending_of(wait_asleep, {}, {1}), fault_kind::livelock,
               {"in nanosleep", "+ 0x0 (element 0), which holds 0", "never written"});
}

__global__ void wait_in_shared() {
  cell32* words = &shared_storage<cell32>();
  if (threadIdx.x == 0) words[2] = 5;
  __syncthreads();
  while (block_ref(words[2]).load(memory_order::relaxed) == 5) {
  }
}

TEST(wait_report, livelock_in_shared_memory) {
  expect_stuck(ending_of(wait_in_shared, {.shared_bytes = 16}), fault_kind::livelock,
               {"32 poll shared memory +0x8, which holds 5", "last written by block 0, thread 0"});
}

/// The flag is read first, then something else once, and then the flag forever.
__global__ void wait_after_other_read(cell32* flag, cell32* other) {
  const std::uint32_t first = *flag;
  const std::uint32_t second = *other;
  while (*flag == first + second) {
  }
}

TEST(wait_report, livelock_names_what_is_polled_not_what_was_read_once) {
  const buffer<std::uint32_t> words = zeroed_words(2 * far);
  expect_stuck(ending_of(wait_after_other_read, {}, words.device_data() + far, words.device_data()),
               fault_kind::livelock, {"32 poll buffer 1 (64 x unsigned int) + 0x80"});
}

constexpr unsigned many = 1u << 16;

__global__ void write_much_and_wait(cell32* words) {
  for (unsigned i = threadIdx.x; i < many; i += blockDim.x) words[i] = 9;
  __syncthreads();
  while (device_ref(words[5]).load(memory_order::relaxed) == 9) {
  }
}

TEST(wait_report, livelock_does_not_deny_a_write) {
  const ending end = ending_of(write_much_and_wait, {}, {many});
  expect_stuck(end, fault_kind::livelock, {"+ 0x14 (element 5), which holds 9"});
  EXPECT_EQ(end.report.find("never written"), std::string::npos) << end.report;
}

/// Polls after which a kernel gives up, so that an executor without livelock detection fails.
constexpr unsigned longest_wait = 1u << 22;

/// A server that polls many mailboxes in turn.
__global__ void poll_many(cell32* words, unsigned mailboxes) {
  for (unsigned poll = 0; poll < longest_wait; ++poll) {
    if (device_ref(words[poll % mailboxes]).load(memory_order::relaxed) != 0) return;
  }
}

TEST(wait_report, livelock_of_a_thread_that_polls_many_words) {
  for (const unsigned mailboxes : {4u, 8u, 32u}) {
    expect_stuck(ending_of(poll_many, {.threads_per_block = 1}, {mailboxes}, mailboxes),
                 fault_kind::livelock, {"1 poll buffer 1"});
  }
}

/// Even blocks wait until the whole grid has arrived.
__global__ void hand_written_grid_barrier(cell32* arrived) {
  device_ref(*arrived).fetch_add(1, memory_order::acq_rel);
  while (device_ref(*arrived).load(memory_order::acquire) < gridDim.x) {
  }
}

TEST(wait_report, grid_barrier_with_blocks_that_are_not_resident) {
  const unsigned fitting = max_resident_blocks(hand_written_grid_barrier, 1);
  const auto ending_of_grid = [](unsigned blocks) {
    return ending_of([&] {
      words_after<independent>(hand_written_grid_barrier,
                               {.blocks = blocks, .threads_per_block = 1}, {1});
    });
  };
  EXPECT_FALSE(ending_of_grid(fitting).stuck);
  expect_stuck(ending_of_grid(fitting + 3), fault_kind::not_resident,
               {"3 of " + std::to_string(fitting + 3) + " blocks were never started",
                std::to_string(fitting) + " fit", "32 poll buffer 1"});
}

__global__ void wait_behind_the_vocabulary(cell32* word) {
  if (threadIdx.x != 5) return;
  while (*const_cast<const volatile std::uint32_t*>(word->address()) == 0) {
  }
}

TEST(wait_report, raw_polling_loop_names_the_thread) {
  expect_stuck(ending_of(wait_behind_the_vocabulary, {}, {1}), fault_kind::raw_polling,
               {"block 0, thread 5", "atomic_ref"});
}

// Launches that change memory for ever.

__global__ void wait_with_a_heartbeat(cell32* flag, cell32* beats) {
  while (device_ref(*flag).load(memory_order::acquire) == 0)
    device_ref(*beats).fetch_add(1, memory_order::relaxed);
}

/// Each takes its own word, gives it back if the other one's is taken, and tries again.
__global__ void give_way(cell32* taken) {
  const device_ref mine(taken[blockIdx.x * far]);
  const device_ref other(taken[(1 - blockIdx.x) * far]);
  for (unsigned attempt = 0;; ++attempt) {
    mine.store(1, memory_order::seq_cst);
    for (unsigned i = 0; i < 4; ++i) static_cast<void>(other.load(memory_order::seq_cst));
    mine.store(0, memory_order::seq_cst);
  }
}

/// All meet in every round, and no round is the last.
__global__ void meet_for_ever(cell32* rounds) {
  for (;;) {
    if (threadIdx.x == 0) *rounds = *rounds + 1;
    __syncthreads();
  }
}

__global__ void sleep_for_ever() {
  for (;;) sleep_ns(1000);
}

simt::settings with_limit_ms(std::uint64_t ms) {
  simt::settings how = round_robin();
  how.longest_launch_ns = ms * 1'000'000;
  return how;
}

TEST(wait_report, a_launch_that_changes_memory_for_ever_reaches_its_limit) {
  const simt::scoped_settings use(with_limit_ms(50));
  const buffer<std::uint32_t> words = zeroed_words(2 * far);
  expect_stuck(ending_of(wait_with_a_heartbeat, {.threads_per_block = 64},
                         words.device_data() + far, words.device_data()),
               fault_kind::too_long,
               {"no end within 50 nominal ms", "64 live threads",
                "64 poll buffer 1 (64 x unsigned int) + 0x80 (element 32), which holds 0"});
  expect_stuck(ending_of(give_way, {.blocks = 2, .threads_per_block = 1}, {2 * far}),
               fault_kind::too_long, {"2 running", "1 poll buffer 3"});
  expect_stuck(ending_of(meet_for_ever, {.threads_per_block = 64}, {1}), fault_kind::too_long,
               {"at __syncthreads()"});
  expect_stuck(ending_of(sleep_for_ever, {}), fault_kind::too_long, {"in nanosleep"});
}

TEST(wait_report, a_launch_has_a_limit_by_default) {
  expect_stuck(ending_of(meet_for_ever, {.threads_per_block = 1}, {1}), fault_kind::too_long, {});
}

__global__ void work(cell32* sum, unsigned additions) {
  for (unsigned i = 0; i < additions; ++i) device_ref(*sum).fetch_add(1, memory_order::relaxed);
}

TEST(wait_report, a_launch_below_its_limit_ends) {
  const simt::scoped_settings use(with_limit_ms(50));
  constexpr unsigned within = 50'000'000 / 512;
  EXPECT_FALSE(ending_of(work, {.threads_per_block = 32}, {1}, within - 100).stuck);
  EXPECT_TRUE(ending_of(work, {.threads_per_block = 32}, {1}, within + 100).stuck);
}

// No hang
// -----------------------------------------------------------------------------------------

constexpr unsigned long_time = 20'000;  // operations: much longer than the executor waits

/// One thread is busy without memory accesses, and then releases the waiting threads.
template <void (*Work)()>
__global__ void wait_for_busy_warp(cell32* flag) {
  if (threadIdx.x < 32) {
    for (unsigned i = 0; i < long_time; ++i) Work();
    if (threadIdx.x == 0) device_ref(*flag).store(1, memory_order::relaxed);
  } else {
    while (device_ref(*flag).load(memory_order::relaxed) == 0) {
    }
  }
}

__device__ void sleep_long() {
  sleep_ns(200);
}
__device__ void shuffle() {
  __shfl_xor_sync(full_warp, threadIdx.x + 0u, 1);
}

TEST(wait_report, waiting_for_a_long_sleeper_or_computation_in_registers_is_not_stuck) {
  for (const auto kernel : {wait_for_busy_warp<sleep_long>, wait_for_busy_warp<shuffle>}) {
    const ending end = ending_of(kernel, {.threads_per_block = 64}, {1});
    EXPECT_FALSE(end.stuck) << end.report;
  }
}

__global__ void poll_and_store_the_same(cell32* flag, cell32* sign_of_life) {
  for (unsigned poll = 0; poll < longest_wait / 256; ++poll) {
    if (device_ref(*flag).load(memory_order::relaxed) != 0) return;
    device_ref(*sign_of_life).store(1, memory_order::relaxed);
  }
}

TEST(wait_report, livelock_of_a_thread_that_stores_the_same_for_ever) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    const simt::scoped_settings use(simt::random_schedule(1, memory));
    const buffer<std::uint32_t> words = zeroed_words(2 * far);
    const ending end = ending_of(poll_and_store_the_same, {.threads_per_block = 1},
                                 words.device_data(), words.device_data() + far);
    expect_stuck(end, fault_kind::livelock,
                 {"1 poll buffer 1 (64 x unsigned int) + 0x0 (element 0)"});
  }
}

/// After 2^18 rounds without a change a run counts as livelocked. After 2^12 the executor checks
/// for a store still in flight, which extends the limit by as many rounds.
__global__ void store_and_meet(cell32* word) {
  *word = 1;
  for (unsigned i = 0; i < (1u << 18) + (1u << 11); ++i) __syncthreads();
}

TEST(wait_report, a_store_on_its_way_is_a_change_still_to_come) {
  const simt::scoped_settings use(simt::random_schedule(3, simt::memory_kind::weak));
  EXPECT_FALSE(ending_of(store_and_meet, {.threads_per_block = 1}, {1}).stuck);
}

}  // namespace
}  // namespace simt_test::wait_report_test
