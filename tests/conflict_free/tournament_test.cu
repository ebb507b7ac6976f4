// Tournaments: every pair that is to meet does so once, and nobody is at two tables in a round.
#include <finesync/conflict_free/grouped_schedule.cuh>
#include <finesync/conflict_free/latin_square.cuh>
#include <finesync/conflict_free/round_robin.cuh>

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace finesync::test::tournament_test {
namespace {

/// \param pairs how many are to meet.
template <tournament Tournament>
bool is_right(const Tournament& all, std::size_t pairs) {
  std::set<std::pair<unsigned, unsigned>> met;
  std::vector<unsigned> free_since(all.players(), 0);
  std::vector<unsigned> wanted_in(all.players(), all.rounds());
  for (unsigned round = 0; round < all.rounds(); ++round) {
    std::set<unsigned> seated;
    for (unsigned table = 0; table < all.tables(); ++table) {
      const auto [first, second] = all.players_at(round, table);
      if (first >= all.players() || second >= all.players()) return false;
      if (!seated.insert(first).second || !seated.insert(second).second) return false;
      if (!met.insert(std::minmax(first, second)).second) return false;
      if (all.match_of(first, second) != match{round, table, false}) return false;
      if (all.match_of(second, first) != match{round, table, true}) return false;
      for (const unsigned player : {first, second}) {
        if (all.free_since(player, round) != free_since[player]) return false;
        if (round != 0 && free_since[player] != 0 && wanted_in[player] != round) return false;
        free_since[player] = round + 1;
        wanted_in[player] = all.wanted_in(player, round);
        if (wanted_in[player] <= round) return false;
      }
    }
  }
  for (const unsigned round : wanted_in)
    if (round < all.rounds()) return false;
  return met.size() == pairs;
}

TEST(tournaments, in_a_round_robin_everyone_meets_everyone) {
  for (unsigned n = 2; n <= 66; n += 2) {
    EXPECT_TRUE(is_right(round_robin(n), n * (n - 1) / 2)) << n;
    EXPECT_EQ(round_robin(n).rounds(), n - 1);
    EXPECT_EQ(round_robin(n).tables(), n / 2);
  }
}

TEST(tournaments, in_a_latin_square_every_left_meets_every_right) {
  for (unsigned lefts = 1; lefts <= 17; ++lefts) {
    for (unsigned rights = 1; rights <= 17; ++rights) {
      const latin_square all(lefts, rights);
      EXPECT_TRUE(is_right(all, lefts * rights)) << lefts << " x " << rights;
      EXPECT_EQ(all.rounds(), std::max(lefts, rights));
      EXPECT_EQ(all.tables(), std::min(lefts, rights));
    }
  }
}

TEST(tournaments, groups_stay_while_their_members_meet) {
  for (unsigned groups = 2; groups <= 10; groups += 2) {
    const unsigned n = 4 * groups;
    EXPECT_TRUE(is_right(grouped<round_robin, 4>(round_robin(groups)), n * (n - 1) / 2)) << n;
  }
  const grouped<round_robin> large{round_robin(4)};
  EXPECT_TRUE(is_right(large, 128 * 127 / 2));
  EXPECT_EQ(large.rounds(), 127u);
  EXPECT_EQ(large.tables(), 64u);
  for (unsigned lefts = 1; lefts <= 4; ++lefts) {
    for (unsigned rights = 1; rights <= 4; ++rights) {
      const grouped<latin_square, 4> all(latin_square(lefts, rights));
      EXPECT_TRUE(is_right(all, 16 * lefts * rights)) << lefts << " x " << rights;
    }
  }
  for (unsigned meeting = 0; meeting < large.meetings(); ++meeting) {
    const pairing groups = large.groups().players_at(large.groups_round_of(meeting), 1);
    for (unsigned round = large.first_round_of(meeting); round < large.first_round_of(meeting + 1);
         ++round) {
      for (unsigned table = large.size; table < 2 * large.size; ++table) {
        for (const unsigned group : {large.players_at(round, table).first / large.size,
                                     large.players_at(round, table).second / large.size})
          EXPECT_TRUE(group == groups.first || group == groups.second);
      }
    }
  }
}

static_assert(round_robin(8).players_at(3, 0) == pairing{3, 7});
static_assert(round_robin(8).players_at(3, 2) == pairing{5, 1});
static_assert(round_robin(8).match_of(1, 5) == match{3, 2, true});
static_assert(queues_of(round_robin(8)) == 7 * 4 + 8);

/// Two tables have the same pair, so that another never meets.
struct repeats_a_pair : round_robin {
  using round_robin::round_robin;
  pairing players_at(unsigned round, unsigned table) const {
    return round_robin::players_at(round == 2 && table == 1 ? 1 : round, table);
  }
};

/// One meeting is somewhere else than the players think.
struct misses_one : round_robin {
  using round_robin::round_robin;
  match match_of(unsigned a, unsigned b) const {
    match at = round_robin::match_of(a, b);
    if (a + b == 1) at.table = (at.table + 1) % tables();
    return at;
  }
};

/// Those who pause are taken for free a round too early.
struct forgets_the_pause : latin_square {
  using latin_square::latin_square;
  unsigned free_since(unsigned /*player*/, unsigned round) const { return round; }
};

TEST(broken_tournaments, are_rejected) {
  EXPECT_FALSE(is_right(repeats_a_pair(8), 28));
  EXPECT_FALSE(is_right(misses_one(8), 28));
  EXPECT_FALSE(is_right(forgets_the_pause(2, 5), 10));
}

}  // namespace
}  // namespace finesync::test::tournament_test
