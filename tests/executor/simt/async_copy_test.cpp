// Asynchronous copies: they are done when their thread waits, and whatever meets one before that is
// reported, with or without a search for races.
#include "races.hpp"

#include <finesync/device/ptx/bulk_copy.cuh>
#include <finesync/device/ptx/copy_async.cuh>
#include <finesync/device/shared_storage.cuh>

#include <algorithm>

namespace simt_test::async_copy_test {
namespace {

constexpr unsigned threads = 64;

struct storage {
  cell<quad> tile[2][threads];
  cell64 words[2];
};

/// Copies a tile of the source, a quad per thread.
void begin_tile(cell32* source, unsigned which) {
  auto* const quads = reinterpret_cast<cell<quad>*>(source);
  copy_async(shared_storage<storage>().tile[which][threadIdx.x],
             quads[which * threads + threadIdx.x]);
}

std::uint32_t sum_of(unsigned which, unsigned thread) {
  const quad q = shared_storage<storage>().tile[which][thread];
  return q.words[0] + q.words[1] + q.words[2] + q.words[3];
}

unsigned neighbour() {
  return (threadIdx.x + 1) % blockDim.x;
}

enum class step {
  read_own,           ///< of the target
  read_neighbours,    ///< of the target
  write_own,          ///< into the target
  copy_again,         ///< into the same target
  write_source,       ///< of the own copy
  write_next_source,  ///< of the neighbour's copy
  read_source,
  wait,
  meet,  ///< __syncthreads()
};

void take(step what, cell32* source) {
  const unsigned mine = 4 * threadIdx.x;
  switch (what) {
    case step::read_own:
      source[8 * threads + threadIdx.x] = sum_of(0, threadIdx.x);
      break;
    case step::read_neighbours:
      source[8 * threads + threadIdx.x] = sum_of(0, neighbour());
      break;
    case step::write_own:
      shared_storage<storage>().tile[0][threadIdx.x] = quad{};
      break;
    case step::copy_again:
      copy_async(shared_storage<storage>().tile[0][threadIdx.x],
                 reinterpret_cast<cell<quad>*>(source)[threads + threadIdx.x]);
      break;
    case step::write_source:
      source[mine + 3] = 1;
      break;
    case step::write_next_source:
      device_ref(source[4 * neighbour()]).fetch_add(1, memory_order::relaxed);
      break;
    case step::read_source:
      source[8 * threads + threadIdx.x] = source[mine] + source[4 * neighbour()];
      break;
    case step::wait:
      wait_for_copies();
      break;
    case step::meet:
      __syncthreads();
  }
}

template <step... Steps>
void copy_and(cell32* source) {
  begin_tile(source, 0);
  (take(Steps, source), ...);
}

constexpr launch_shape shape{
    .blocks = 1, .threads_per_block = threads, .shared_bytes = sizeof(storage)};

/// What a kernel leaves in its words, which begin with 0, 1, 2, ...
std::vector<std::uint32_t> words_left_by(body what) {
  std::vector<std::uint32_t> words(9 * threads);
  for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  buffer<std::uint32_t> device(words.size());
  device.copy_from(words);
  launch_cooperative(what, shape, device.device_data());
  return device.to_host();
}

/// Reports of some schedules, of strong memory with a search for races and of both without.
std::vector<std::string> reports_of(body what) {
  std::vector<std::string> found;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    for (const simt::settings& how : {looking_for_races(seed), simt::random_schedule(seed),
                                      simt::random_schedule(seed, simt::memory_kind::weak)}) {
      const simt::scoped_settings use(how);
      try {
        words_left_by(what);
        found.emplace_back();
      } catch (const race_error& race) {
        found.emplace_back(race.what());
      }
    }
  }
  return found;
}

void expect_silence(body what) {
  for (const std::string& report : reports_of(what)) EXPECT_EQ(report, "");
}

/// Every schedule has a report, and one of them has these words.
void expect_reports(body what, std::initializer_list<std::string_view> words) {
  const std::vector<std::string> reports = reports_of(what);
  EXPECT_FALSE(std::ranges::any_of(reports, &std::string::empty));
  EXPECT_TRUE(std::ranges::any_of(reports, [&](const std::string& report) {
    return std::ranges::all_of(
        words, [&](std::string_view word) { return report.find(word) != std::string::npos; });
  })) << reports.front();
}

using enum step;

TEST(async_copies, are_done_when_they_were_waited_for) {
  expect_silence(copy_and<wait, read_own>);
  expect_silence(copy_and<wait, meet, read_neighbours>);
  expect_silence(copy_and<read_source, wait, meet, write_source>);
  expect_silence(copy_and<wait, copy_again, wait, write_own>);
  expect_silence(copy_and<>);
  EXPECT_EQ(words_left_by(copy_and<wait, meet, read_neighbours>)[8 * threads], 4 + 5 + 6 + 7u);
}

TEST(async_copies, read_before_they_were_waited_for) {
  expect_reports(
      copy_and<read_own, wait>,
      {"data race: at shared memory +0x", "the plain load of 16 bytes by block 0, thread",
       "asynchronous copy of 16 bytes to there by block 0, thread", "waits for its copy"});
  expect_reports(copy_and<read_own>, {"asynchronous copy"});
  expect_reports(copy_and<meet, read_neighbours>, {"asynchronous copy"});
}

TEST(async_copies, whose_target_is_written_meanwhile) {
  expect_reports(copy_and<write_own, wait>, {"plain store of 16 bytes", "to there"});
  expect_reports(copy_and<copy_again, wait>, {"plain store of 16 bytes", "to there"});
}

TEST(async_copies, whose_source_is_written_meanwhile) {
  expect_reports(copy_and<write_source, wait>,
                 {"data race: at buffer ", "plain store of 4 bytes", "from there"});
  expect_reports(copy_and<meet, write_next_source, meet, wait>, {"fetch_add", "from there"});
}

/// What a search for races finds in some schedule.
std::string race_in_copies(body what) {
  return race_in([what] { words_left_by(what); });
}

TEST(async_copies, waited_for_behind_the_barrier) {
  expect_race(race_in_copies(copy_and<meet, wait, read_neighbours>), {"shared memory"});
  expect_race(race_in_copies(copy_and<meet, wait, write_next_source>), {"buffer 1"});
}

/// The next tile is copied to where others still read the one before. They meet before the copy
/// begins, only before it is waited for, or not at all.
enum class meeting { before_the_copy, before_the_wait, never };
template <meeting When>
void refill(cell32* source) {
  copy_and<wait, meet, read_neighbours>(source);
  if (When == meeting::before_the_copy) __syncthreads();
  if (When == meeting::before_the_wait)
    copy_and<meet, wait>(source);
  else
    copy_and<wait>(source);
}

TEST(async_copies, whose_target_others_still_read) {
  EXPECT_EQ(race_in_copies(refill<meeting::before_the_copy>), "");
  expect_race(race_in_copies(refill<meeting::before_the_wait>), {"shared memory"});
  expect_race(race_in_copies(refill<meeting::never>), {"shared memory"});
}

/// Two batches; the tile of one is read when this many were waited for.
template <unsigned Waits, unsigned Reads, bool Meets = true>
void copy_in_bulk(cell32* source) {
  auto& shared = shared_storage<storage>();
  auto* const quads = reinterpret_cast<cell<quad>*>(source);
  for (unsigned b = 0; b < 2; ++b) bulk_copy(&shared.words[b]).open();
  __syncthreads();
  for (unsigned b = 0; b < 2; ++b) {
    bulk_copy batch(&shared.words[b]);
    batch.begin(shared.tile[b], quads + b * threads, threads);
    batch.end_batch();
  }
  for (unsigned b = 0; b < Waits; ++b) bulk_copy(&shared.words[b]).wait(0);
  if (Meets) __syncthreads();
  source[8 * threads + threadIdx.x] = sum_of(Reads, neighbour());
}

TEST(async_copies, in_bulk_are_waited_for_batch_by_batch) {
  expect_silence(copy_in_bulk<1, 0>);
  expect_silence(copy_in_bulk<2, 1>);
  expect_reports(copy_in_bulk<0, 0>, {"asynchronous copy"});
  expect_reports(copy_in_bulk<1, 1>, {"asynchronous copy"});
  expect_race(race_in_copies(copy_in_bulk<2, 0, false>), {"shared memory"});
}

/// A thread ends without a wait; its mates read what it was to copy.
void leave_without_a_wait(cell32* source) {
  if (threadIdx.x < 32) {
    begin_tile(source, 0);
    return;
  }
  source[8 * threads + threadIdx.x] = sum_of(0, threadIdx.x - 32);
}

TEST(async_copies, of_a_thread_that_ends_are_never_done) {
  expect_race(race_in_copies(leave_without_a_wait), {"shared memory"});
}

/// The next block in its place has the same shared memory.
void leave_it_all(cell32* source) {
  begin_tile(source, 0);
}

TEST(async_copies, end_with_their_block) {
  simt::settings how = round_robin();
  how.gpu.sms = how.gpu.max_blocks_per_sm = 1;
  const simt::scoped_settings one_at_a_time(how);
  const buffer<std::uint32_t> source = zeroed_words(9 * threads);
  launch_shape blocks = shape;
  blocks.blocks = 3;
  EXPECT_NO_THROW(launch_independent(leave_it_all, blocks, source.device_data()));
}

}  // namespace
}  // namespace simt_test::async_copy_test
