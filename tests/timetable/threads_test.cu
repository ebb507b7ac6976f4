// A batch played by one block: as if its queues had been played one after another.
#include "batch_kernels.cuh"

#include <finesync/timetable/latin_square.cuh>
#include <finesync/timetable/round_robin.cuh>

#include <gtest/gtest.h>
#include <tests/locks/exploration.hpp>

namespace finesync::test {
namespace {

struct batch {
  std::uint32_t requests = 60;
  bool to_one = false;
  unsigned threads = 36;
  unsigned staged = 16;  ///< some rounds have more
};

template <class Played = void, class Section = pay_and_remember, class Tournament>
unsigned failing(const Tournament& all, const batch& of, simt::memory_kind memory, unsigned seeds,
                 races verdict = races::fail) {
  using played = std::conditional_t<std::is_void_v<Played>, Tournament, Played>;
  return failing_seeds(
      memory, seeds,
      [&] {
        return threads_play_right<played, Section>(all, of.requests, of.to_one, of.threads,
                                                   of.staged);
      },
      verdict);
}

const unsigned seeds = seed_budget(100);  // of each memory mode and batch

template <class Tournament>
void expect_right(const Tournament& all) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    EXPECT_EQ(failing(all, {}, memory, seeds), 0u);
    EXPECT_EQ(failing(all, {.to_one = true, .threads = all.tables()}, memory, seeds), 0u);
    EXPECT_EQ(failing(all, {.staged = 0}, memory, seeds / 4), 0u);
    EXPECT_EQ(failing(all, {.requests = 0}, memory, 2), 0u);
  }
}

TEST(threads_that_play, are_as_if_one_after_another) {
  expect_right(round_robin(6));
}
TEST(threads_that_play, may_be_alone) {
  expect_right(round_robin(2));
}
TEST(threads_that_play, have_two_kinds_of_players) {
  expect_right(latin_square(2, 5));
  expect_right(latin_square(4, 3));
}

TEST(threads_that_play, answer_at_the_places_of_their_entries) {
  const round_robin all(6);
  for (const unsigned staged : {0u, 5u, 16u, 64u}) {
    const auto weak = simt::memory_kind::weak;
    EXPECT_EQ((failing<void, pay_and_answer>(all, {.staged = staged}, weak, seeds)), 0u);
    EXPECT_EQ((failing<void, pay_and_answer>(all, {.to_one = true, .staged = staged}, weak, 10)),
              0u);
  }
}

TEST(threads_that_play, take_entries_of_8_bytes) {
  const auto right = [] {
    return threads_play_right<round_robin, pay_and_answer, wide_transfer>(round_robin(6), 60, false,
                                                                          36, 7);
  };
  EXPECT_EQ(failing_seeds(simt::memory_kind::strong, seeds / 4, right), 0u);
}

TEST(threads_that_play, must_be_as_many_as_tables) {
  const round_robin all(8);
  EXPECT_THROW(threads_play_right<round_robin>(all, 10, false, 3, 16), std::logic_error);
}

/// A player is at two tables of a round: what one does to it, the other overwrites.
struct seats_one_twice : round_robin {
  explicit seats_one_twice(const round_robin& all) : round_robin(all) {}
  pairing players_at(unsigned round, unsigned table) const {
    pairing players = round_robin::players_at(round, table);
    if (table == 1) players.second = round_robin::players_at(round, 0).second;
    return players;
  }
};

/// Some pairs meet twice, and others never.
struct repeats_a_round : round_robin {
  explicit repeats_a_round(const round_robin& all) : round_robin(all) {}
  pairing players_at(unsigned round, unsigned table) const {
    return round_robin::players_at(round == 1 ? 0 : round, table);
  }
};

TEST(broken_timetables, are_rejected) {
  constexpr auto strong = simt::memory_kind::strong;
  const round_robin all(6);
  EXPECT_GT(failing<seats_one_twice>(all, {}, strong, 10), 0u);
  EXPECT_GT(failing<seats_one_twice>(all, {}, strong, 10, races::pass), 0u);
  EXPECT_GT(failing<repeats_a_round>(all, {}, strong, 10), 0u);
}

}  // namespace
}  // namespace finesync::test
