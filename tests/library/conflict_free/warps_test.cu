// A batch run by warps: as if its queues had run one after another.
#include "batch_kernels.cuh"
#include "broken_handoff.cuh"

#include <finesync/conflict_free/grouped_schedule.cuh>
#include <finesync/conflict_free/latin_square.cuh>
#include <finesync/conflict_free/round_robin.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::warps_test {
namespace {

template <class Section = pay_and_remember, class Handoff = handoff_by_version<std::uint32_t>,
          class Schedule>
unsigned failing(const Schedule& all, const batch& of, simt::memory_kind memory, unsigned seeds,
                 races verdict = races::fail) {
  return failing_seeds(
      memory, seeds, [&] { return warps_play_right<Section, Handoff>(all, all, of); }, verdict);
}

const unsigned seeds = seed_budget(60);  // of each memory mode and batch

template <class Schedule>
void expect_right(const Schedule& all) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    EXPECT_EQ(failing(all, {}, memory, seeds), 0u);
    EXPECT_EQ(failing(all, {.to_one = true, .stage = {40, 4}}, memory, seeds / 2), 0u);
    EXPECT_EQ(failing(all, {.stage = {0, 2}}, memory, seeds / 4), 0u);
    EXPECT_EQ(failing(all, {.requests = 0}, memory, 2), 0u);
  }
}

TEST(warps_that_play, are_as_if_one_after_another) {
  expect_right(grouped_schedule<round_robin, 4>(round_robin(4)));
}
TEST(warps_that_play, may_be_alone) {
  expect_right(grouped_schedule<round_robin, 4>(round_robin(2)));
}
TEST(warps_that_play, have_two_kinds_of_players) {
  expect_right(grouped_schedule<latin_square, 4>(latin_square(2, 3)));
}
TEST(warps_that_play, may_have_a_player_for_each_lane) {
  const grouped_schedule<round_robin> all{round_robin(4)};
  EXPECT_EQ(failing(all, {.requests = 500}, simt::memory_kind::weak, seeds / 10), 0u);
}

TEST(warps_that_play, answer_at_the_places_of_their_entries) {
  const grouped_schedule<round_robin, 4> all(round_robin(4));
  const auto weak = simt::memory_kind::weak;
  for (const bool to_one : {false, true}) {
    EXPECT_EQ(failing<pay_and_answer>(all, {.to_one = to_one}, weak, seeds / 2), 0u);
    EXPECT_EQ(failing<pay_by_twos>(all, {.to_one = to_one}, weak, seeds / 2), 0u);
  }
}

TEST(warps_that_play, take_entries_of_8_bytes) {
  const grouped_schedule<round_robin, 4> all(round_robin(4));
  const auto right = [&] {
    return warps_play_right<pay_and_answer, handoff_by_version<std::uint32_t>, wide_transfer>(
        all, all, {});
  };
  EXPECT_EQ(failing_seeds(simt::memory_kind::strong, seeds / 4, right), 0u);
}

/// A group is in two pairs of a round, which overwrite each other's changes.
struct seats_one_twice : round_robin {
  using round_robin::round_robin;
  object_pair objects_of(unsigned round, unsigned pair) const {
    object_pair objects = round_robin::objects_of(round, pair);
    if (pair == 1) objects.second = round_robin::objects_of(round, 0).second;
    return objects;
  }
};

/// Some groups form a pair twice, and others never.
struct repeats_a_round : round_robin {
  using round_robin::round_robin;
  object_pair objects_of(unsigned round, unsigned pair) const {
    return round_robin::objects_of(round == 1 ? 0 : round, pair);
  }
};

TEST(broken_warps, are_rejected) {
  constexpr auto strong = simt::memory_kind::strong;
  const grouped_schedule<round_robin, 4> all(round_robin(4));
  EXPECT_GT((failing<pay_and_remember, in_haste>(all, {}, strong, 20)), 0u);
  // Some pairs wait for a group that never arrives; others run it twice.
  const auto is_rejected_when_told = [&](const auto& groups) {
    const grouped_schedule<std::remove_cvref_t<decltype(groups)>, 4> told(groups);
    return failing_twin_seeds(strong, 10, [&] {
             return warps_play_right<pay_and_remember, handoff_by_version<std::uint32_t>>(all, told,
                                                                                          {});
           }) > 0;
  };
  EXPECT_TRUE(is_rejected_when_told(seats_one_twice(4)));
  EXPECT_TRUE(is_rejected_when_told(repeats_a_round(4)));
}

}  // namespace
}  // namespace finesync::test::warps_test
