// The competition for one lock: right under every lock, wrong under one that is none, given up when
// nobody gets in, and what it refuses.
#include "no_lock.hpp"

#include <simt/settings.hpp>
#include <workloads/mutex/lock_competition.cuh>

#include <gtest/gtest.h>

#include <ostream>

namespace finesync::mutex {
namespace {

struct way {
  const char* name;
  make_trial* make;

  friend std::ostream& operator<<(std::ostream& out, const way& w) { return out << w.name; }
};

class competitions : public ::testing::TestWithParam<way> {};

INSTANTIATE_TEST_SUITE_P(
    all, competitions,
    ::testing::Values(way{"spin", make_spin}, way{"spin_ordered", make_spin_ordered},
                      way{"ebo", make_ebo}, way{"ttas", make_ttas}, way{"ticket", make_ticket},
                      way{"ring", make_ring}, way{"array", make_array}, way{"mcs", make_mcs},
                      way{"cohort", make_cohort}, way{"carrying", make_carrying}),
    [](const auto& tested) { return tested.param.name; });

constexpr setup small{.blocks_per_sm = 2,
                      .threads_per_block = 33,
                      .ldst = 0,
                      .rounds = 5,
                      .cluster_blocks = 1,
                      .backoff = true,
                      .empty_section = false};

setup with_words() {
  setup how = small;
  how.ldst = 3;
  return how;
}
setup empty() {
  setup how = small;
  how.empty_section = true;
  return how;
}

/// On a few schedules, several runs each.
void expect_right(make_trial* make, const setup& how) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    const auto competition = make(how);
    for (int run = 0; run < 2; ++run) {
      competition->reset();
      EXPECT_FALSE(competition->check().correct);
      competition->launch();
      const outcome ended = competition->check();
      ASSERT_TRUE(ended.correct) << "seed " << seed << ": " << ended.detail;
    }
  }
}

TEST_P(competitions, count_every_section) {
  expect_right(GetParam().make, small);
}

TEST_P(competitions, of_whole_blocks_count_in_every_word) {
  if (std::string(GetParam().name) == "carrying") {
    EXPECT_THROW(GetParam().make(with_words()), std::invalid_argument);
  } else {
    expect_right(GetParam().make, with_words());
  }
}

TEST_P(competitions, may_be_for_nothing) {
  expect_right(GetParam().make, empty());
}

TEST_P(competitions, wait_without_backoff_or_say_that_they_cannot) {
  setup how = small;
  how.backoff = false;
  try {
    const auto competition = GetParam().make(how);
    competition->launch();
    EXPECT_TRUE(competition->check().correct);
  } catch (const std::invalid_argument& refusal) {
    EXPECT_EQ(std::string(refusal.what()), "it has no back-off to go without: --backoff 1");
  }
}

TEST_P(competitions, refuse_a_grid_that_does_not_fit) {
  setup huge = small;
  huge.blocks_per_sm = 32;
  EXPECT_THROW(GetParam().make(huge), launch_error);
}

TEST(competition, for_what_is_no_lock_is_wrong) {
  for (setup how : {small, with_words()}) {
    how.rounds = 20;
    unsigned wrong = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      const simt::scoped_settings scoped(simt::random_schedule(seed));
      const auto competition = compete_for<test::no_lock>(how);
      competition->launch();
      if (!competition->check().correct) ++wrong;
    }
    EXPECT_EQ(wrong, 20u);
  }
}

/// Lets nobody in.
class closed : public test::no_lock {
 public:
  explicit closed(state& s) : no_lock(s), held_(s.held) {}
  bool enter(request&) { return held_.fetch_add(1, memory_order::relaxed) == ~0u; }

 private:
  atomic_ref<std::uint32_t, scope::device> held_;
};

TEST(competition, is_given_up_when_nobody_gets_in) {
  setup how = with_words();
  how.blocks_per_sm = 1;
  const auto competition = compete_for<closed>(how);
  competition->launch();
  const outcome ended = competition->check();
  EXPECT_TRUE(ended.gave_up) << ended.detail;
  EXPECT_FALSE(ended.correct);
}

TEST(competition, knows_what_it_cannot_be) {
  setup odd = with_words();
  odd.empty_section = true;
  EXPECT_THROW(make_array(odd), std::invalid_argument);
  odd = small;
  odd.cluster_blocks = 8;  // on four SMs
  EXPECT_THROW(make_cohort(odd), launch_error);
  EXPECT_THROW(make_libcudacxx(small), std::invalid_argument);
}

TEST(competition, of_cohorts_runs_in_clusters) {
  for (const unsigned cluster_blocks : {2u, 4u}) {
    setup clustered = small;
    clustered.cluster_blocks = cluster_blocks;
    const auto competition = make_cohort(clustered);
    competition->launch();
    const outcome ended = competition->check();
    EXPECT_TRUE(ended.correct) << ended.detail;
  }
}

TEST(competition, tells_how_many_compete) {
  EXPECT_EQ(make_array(small)->watch().at("blocks"), 8);
  EXPECT_EQ(make_array(small)->operations(), 40);
}

}  // namespace
}  // namespace finesync::mutex
