// Pair schedules: every pair occurs exactly once, and no object is in two pairs of a round.
#include <finesync/conflict_free/grouped_schedule.cuh>
#include <finesync/conflict_free/latin_square.cuh>
#include <finesync/conflict_free/round_robin.cuh>

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace finesync::test::pair_schedule_test {
namespace {

/// \param pairs expected number of pairs.
template <pair_schedule Schedule>
bool is_right(const Schedule& all, std::size_t pairs) {
  std::set<std::pair<unsigned, unsigned>> met;
  std::vector<unsigned> available_from(all.objects(), 0);
  std::vector<unsigned> next_use(all.objects(), all.rounds());
  for (unsigned round = 0; round < all.rounds(); ++round) {
    std::set<unsigned> seated;
    for (unsigned pair = 0; pair < all.pairs_per_round(); ++pair) {
      const auto [first, second] = all.objects_of(round, pair);
      if (first >= all.objects() || second >= all.objects()) return false;
      if (!seated.insert(first).second || !seated.insert(second).second) return false;
      if (!met.insert(std::minmax(first, second)).second) return false;
      if (all.slot_of(first, second) != pair_slot{round, pair, false}) return false;
      if (all.slot_of(second, first) != pair_slot{round, pair, true}) return false;
      for (const unsigned object : {first, second}) {
        if (all.available_from(object, round) != available_from[object]) return false;
        if (round != 0 && available_from[object] != 0 && next_use[object] != round) return false;
        available_from[object] = round + 1;
        next_use[object] = all.next_use(object, round);
        if (next_use[object] <= round) return false;
      }
    }
  }
  for (const unsigned round : next_use)
    if (round < all.rounds()) return false;
  return met.size() == pairs;
}

TEST(tournaments, in_a_round_robin_everyone_meets_everyone) {
  for (unsigned n = 2; n <= 66; n += 2) {
    EXPECT_TRUE(is_right(round_robin(n), n * (n - 1) / 2)) << n;
    EXPECT_EQ(round_robin(n).rounds(), n - 1);
    EXPECT_EQ(round_robin(n).pairs_per_round(), n / 2);
  }
}

TEST(tournaments, in_a_latin_square_every_left_meets_every_right) {
  for (unsigned lefts = 1; lefts <= 17; ++lefts) {
    for (unsigned rights = 1; rights <= 17; ++rights) {
      const latin_square all(lefts, rights);
      EXPECT_TRUE(is_right(all, lefts * rights)) << lefts << " x " << rights;
      EXPECT_EQ(all.rounds(), std::max(lefts, rights));
      EXPECT_EQ(all.pairs_per_round(), std::min(lefts, rights));
    }
  }
}

TEST(tournaments, groups_stay_while_their_members_meet) {
  for (unsigned groups = 2; groups <= 10; groups += 2) {
    const unsigned n = 4 * groups;
    EXPECT_TRUE(is_right(grouped_schedule<round_robin, 4>(round_robin(groups)), n * (n - 1) / 2))
        << n;
  }
  const grouped_schedule<round_robin> large{round_robin(4)};
  EXPECT_TRUE(is_right(large, 128 * 127 / 2));
  EXPECT_EQ(large.rounds(), 127u);
  EXPECT_EQ(large.pairs_per_round(), 64u);
  for (unsigned lefts = 1; lefts <= 4; ++lefts) {
    for (unsigned rights = 1; rights <= 4; ++rights) {
      const grouped_schedule<latin_square, 4> all(latin_square(lefts, rights));
      EXPECT_TRUE(is_right(all, 16 * lefts * rights)) << lefts << " x " << rights;
    }
  }
  for (unsigned group_round = 0; group_round < large.group_rounds(); ++group_round) {
    const object_pair groups = large.groups().objects_of(large.schedule_round_of(group_round), 1);
    for (unsigned round = large.first_round_of(group_round);
         round < large.first_round_of(group_round + 1); ++round) {
      for (unsigned pair = large.size; pair < 2 * large.size; ++pair) {
        for (const unsigned group : {large.objects_of(round, pair).first / large.size,
                                     large.objects_of(round, pair).second / large.size})
          EXPECT_TRUE(group == groups.first || group == groups.second);
      }
    }
  }
}

static_assert(round_robin(8).objects_of(3, 0) == object_pair{3, 7});
static_assert(round_robin(8).objects_of(3, 2) == object_pair{5, 1});
static_assert(round_robin(8).slot_of(1, 5) == pair_slot{3, 2, true});
static_assert(queues_of(round_robin(8)) == 7 * 4 + 8);

/// Repeats a pair in another slot, so some pair never occurs.
struct repeats_a_pair : round_robin {
  using round_robin::round_robin;
  object_pair objects_of(unsigned round, unsigned pair) const {
    return round_robin::objects_of(round == 2 && pair == 1 ? 1 : round, pair);
  }
};

/// One pair is in another slot than its objects expect.
struct misses_one : round_robin {
  using round_robin::round_robin;
  pair_slot slot_of(unsigned a, unsigned b) const {
    pair_slot at = round_robin::slot_of(a, b);
    if (a + b == 1) at.pair = (at.pair + 1) % pairs_per_round();
    return at;
  }
};

/// Objects without a pair in a round are reported as available one round too early.
struct forgets_the_pause : latin_square {
  using latin_square::latin_square;
  unsigned available_from(unsigned /*object*/, unsigned round) const { return round; }
};

TEST(broken_tournaments, are_rejected) {
  EXPECT_FALSE(is_right(repeats_a_pair(8), 28));
  EXPECT_FALSE(is_right(misses_one(8), 28));
  EXPECT_FALSE(is_right(forgets_the_pause(2, 5), 10));
}

}  // namespace
}  // namespace finesync::test::pair_schedule_test
