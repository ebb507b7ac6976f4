// The race detector and PTX's observation order: a write that a thread has observed by an atomic
// read, also through a chain of read-modify-writes, precedes what the thread does then. What was
// done before that write does not.
#include "races.hpp"

#include <finesync/device/shared_storage.cuh>

namespace simt_test::observation_race_test {
namespace {

using enum memory_order;

/// How a block draws its ticket.
enum class drawn { by_add, by_compare_exchange, by_add_of_block_scope };

template <drawn How>
std::uint32_t draw(cell32& tickets) {
  constexpr scope reach = How == drawn::by_add_of_block_scope ? scope::block : scope::device;
  const atomic_ref<std::uint32_t, reach> count(tickets);
  if (How != drawn::by_compare_exchange) return count.fetch_add(1, relaxed);
  std::uint32_t found = count.load(relaxed);
  while (!count.compare_exchange(found, found + 1, relaxed)) {
  }
  return found;
}

/// The block with this many tickets before its own sets the counter back, by a plain store.
template <drawn How, unsigned Before>
void set_back(cell32* words) {
  if (draw<How>(words[0]) == Before) words[0] = 0u;
}

constexpr unsigned blocks = 4;

TEST(races_by_observation, whoever_draws_the_last_ticket_sets_the_counter_back) {
  EXPECT_EQ(race_of(set_back<drawn::by_add, blocks - 1>, blocks), "");
  EXPECT_EQ(race_of(set_back<drawn::by_compare_exchange, blocks - 1>, blocks), "");
}

TEST(races_by_observation, whoever_draws_another_may_not) {
  expect_race(race_of(set_back<drawn::by_add, blocks - 2>, blocks), {"plain store", "fetch_add"});
  expect_race(race_of(set_back<drawn::by_compare_exchange, 0>, blocks), {"plain store"});
  expect_race(race_of(set_back<drawn::by_add_of_block_scope, blocks - 1>, blocks),
              {"missing: device scope in both"});
}

/// The last to come to one counter sets another one back, to which all have come before.
void set_another_back(cell32* words) {
  device_ref(words[0]).fetch_add(1, relaxed);
  if (device_ref(words[far]).fetch_add(1, relaxed) == gridDim.x - 1) words[0] = 0u;
}

TEST(races_by_observation, one_counter_says_nothing_of_another) {
  expect_race(race_of(set_another_back, blocks), {"plain store", "fetch_add"});
}

/// A plain store comes later than another block's atomic read, and nothing orders the two.
void store_after_a_read(cell32* words) {
  if (blockIdx.x == 0) {
    static_cast<void>(device_ref(words[0]).load(relaxed));
    device_ref(words[far]).store(1, relaxed);
  }
  if (blockIdx.x == 1) {
    await<scope::device>(words[far], relaxed);
    words[0] = 1u;
  }
}

TEST(races_by_observation, a_read_does_not_precede_what_is_written_later) {
  expect_race(race_of(store_after_a_read, 2), {"plain store", "load"});
}

/// A store among the additions.
template <bool Reads>
void count_after_a_store(cell32* words) {
  const device_ref count(words[0]);
  if (blockIdx.x == 0) count.fetch_add(1, relaxed);
  if (blockIdx.x == 1) {
    await<scope::device>(words[0], relaxed);
    if (Reads)
      count.fetch_add(9, relaxed);
    else
      count.store(10, relaxed);
  }
  if (blockIdx.x == 2) {
    await<scope::device>(words[0], relaxed, 10);
    words[0] = 0u;
  }
}

TEST(races_by_observation, a_store_breaks_the_chain_of_read_modify_writes) {
  EXPECT_EQ(race_of(count_after_a_store<true>, 3), "");
  expect_race(race_of(count_after_a_store<false>, 3), {"plain store", "fetch_add"});
}

/// The leader draws the last ticket; another thread of its block sets the counter back.
template <bool Meets>
void set_back_by_a_mate(cell32* words) {
  auto& is_last = shared_storage<cell32>();
  if (threadIdx.x == 0)
    block_ref(is_last).store(draw<drawn::by_add>(words[0]) == gridDim.x - 1, relaxed);
  if (Meets) __syncthreads();
  if (threadIdx.x == 40 && block_ref(is_last).load(relaxed) == 1) words[0] = 0u;
}

std::string race_of_mates(body what) {
  return race_in([&] {
    words_after(what, {.blocks = blocks, .threads_per_block = 64, .shared_bytes = sizeof(cell32)},
                {8 * far});
  });
}

TEST(races_by_observation, it_is_handed_on_by_a_barrier) {
  EXPECT_EQ(race_of_mates(set_back_by_a_mate<true>), "");
  expect_race(race_of_mates(set_back_by_a_mate<false>), {"plain store", "fetch_add"});
}

/// A thread polls a word, and it or a mate then reads it plainly. The first one polls on.
template <bool Polls, bool Meets>
void read_what_was_polled(cell32* words) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) flag_of(words).store(1, relaxed);
    return;
  }
  if (Polls && threadIdx.x == 0) await<scope::device>(words[far], relaxed);
  if (Meets) __syncthreads();
  if (threadIdx.x == 0) flag_of(words).load(relaxed);
  if (threadIdx.x == (Meets ? 40 : 0)) static_cast<void>(words[far] + 0u);
}

TEST(races_by_observation, what_was_polled_may_be_read_plainly) {
  EXPECT_EQ(race_of_mates(read_what_was_polled<true, false>), "");
  EXPECT_EQ(race_of_mates(read_what_was_polled<true, true>), "");
  expect_race(race_of_mates(read_what_was_polled<false, true>), {"plain load", "atomic store"});
}

/// A flag that one polls and then takes down, while others still look at it or do not.
template <unsigned Pollers>
void take_down(cell32* words) {
  if (blockIdx.x == 0) {
    flag_of(words).store(1, relaxed);
  } else if (blockIdx.x <= Pollers) {
    for (unsigned poll = 0; poll < 50; ++poll) {
      if (flag_of(words).load(relaxed) == 0) continue;
      if (blockIdx.x == 1) words[far] = 0u;
      return;
    }
  }
}

TEST(races_by_observation, a_flag_that_others_poll_is_not_taken_down_by_a_plain_store) {
  EXPECT_EQ(race_of(take_down<1>, 3), "");
  expect_race(race_of(take_down<2>, 3), {"plain store", "atomic load"});
}

/// A lock that is given back by a plain store, while others try to take it.
void unlock_plainly(cell32* words) {
  std::uint32_t expected = 0;
  while (!flag_of(words).compare_exchange(expected, 1, acquire)) expected = 0;
  words[far] = 0u;
}

TEST(races_by_observation, a_lock_is_not_given_back_by_a_plain_store) {
  expect_race(race_of(unlock_plainly, 2), {"plain store", "compare-exchange"});
}

/// The last to come adds what all have left.
template <memory_order Order>
void add_what_all_left(cell32* words) {
  words[(1 + blockIdx.x) * far] = 1;
  if (device_ref(words[0]).fetch_add(1, Order) != gridDim.x - 1) return;
  for (unsigned b = 1; b <= gridDim.x; ++b) static_cast<void>(words[b * far] + 0u);
  words[0] = 0u;
}

TEST(races_by_observation, what_was_done_before_the_ticket_takes_release_and_acquire) {
  EXPECT_EQ(race_of(add_what_all_left<acq_rel>, blocks), "");
  expect_race(race_of(add_what_all_left<relaxed>, blocks),
              {"plain load", "missing: a device-scope"});
  expect_race(race_of(add_what_all_left<release>, blocks), {"missing: a device-scope acquire"});
}

}  // namespace
}  // namespace simt_test::observation_race_test
