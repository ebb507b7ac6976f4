// The workload checks itself: right semaphores pass at every shape, wrong ones do not.
#include "all_semaphores.hpp"

#include <simt/settings.hpp>
#include <workloads/semaphore/semaphore_competition.cuh>

namespace finesync::test {
namespace {

using semaphore::setup;

constexpr setup small{.size = 3,
                      .blocks_per_sm = 3,
                      .threads_per_block = 32,
                      .ldst = 0,
                      .rounds = 4,
                      .writers = true,
                      .backoff = true};

setup with(unsigned size, unsigned ldst, bool backoff) {
  setup how = small;
  how.size = size;
  how.ldst = ldst;
  how.backoff = backoff;
  return how;
}

semaphore::outcome run(workload::trial& which) {
  which.reset();
  which.launch();
  return which.check();
}

TEST(semaphore_competition, is_won_by_every_primitive) {
  for (auto* make : {semaphore::make_spin, semaphore::make_priority, semaphore::make_word,
                     semaphore::make_ticketed}) {
    for (const unsigned size : {1u, 3u, 120u}) {
      for (const unsigned ldst : {0u, 1u, 5u}) {
        for (const bool backoff : {false, true}) {
          const auto which = make(with(size, ldst, backoff));
          for (int i = 0; i < 2; ++i) {
            const auto ended = run(*which);
            EXPECT_TRUE(ended.correct) << ended.detail;
          }
          EXPECT_EQ(which->operations(), 4 * 3 * 4);  // SMs, blocks, rounds
        }
      }
    }
  }
}

TEST(semaphore_competition, may_have_no_writers) {
  setup how = small;
  how.writers = false;
  const auto ended = run(*semaphore::make_ticketed(how));
  EXPECT_TRUE(ended.correct) << ended.detail;
}

/// A semaphore that is none.
struct open_door {
  explicit open_door(unsigned) {}
  void reset() {}
  semaphore::no_semaphore ref() const { return {}; }
};

/// One that nobody gets through.
struct walled_up {
  struct ref_type : semaphore::no_semaphore {
    bool enter(request&) const { return false; }
  };
  explicit walled_up(unsigned) {}
  void reset() {}
  ref_type ref() const { return {}; }
};

template <class Semaphore>
semaphore::outcome run_broken(unsigned ldst) {
  const simt::scoped_settings scoped(simt::random_schedule(1));
  return run(*semaphore::compete<Semaphore>(with(3, ldst, true)));
}

TEST(semaphore_competition, without_a_semaphore_is_lost) {
  EXPECT_FALSE(run_broken<open_door>(0).correct);
  EXPECT_FALSE(run_broken<open_door>(5).correct);
}

/// Twice as many permits as it says: only counting shows it when everybody reads.
struct generous : word_semaphore<no_backoff> {
  explicit generous(unsigned size) : word_semaphore<no_backoff>(2 * size) {}
};

TEST(semaphore_competition, counts_those_inside) {
  setup how = small;
  how.writers = false;
  how.ldst = 50;
  const auto ended = run(*semaphore::compete<generous>(how));
  EXPECT_FALSE(ended.correct);
  EXPECT_NE(ended.detail.find(" 0 torn reads"), std::string::npos) << ended.detail;
  EXPECT_EQ(ended.detail.find(" 0 entries beyond"), std::string::npos) << ended.detail;
}

TEST(semaphore_competition, that_stands_still_is_no_result) {
  try {
    const auto ended = run_broken<walled_up>(0);
    EXPECT_TRUE(ended.gave_up);
    EXPECT_FALSE(ended.correct);
  } catch (const stuck_error&) {
  }
}

TEST(semaphore_competition, refuses_a_grid_that_does_not_fit) {
  setup how = small;
  how.blocks_per_sm = 9;
  EXPECT_THROW(semaphore::make_ticketed(how), launch_error);
}

TEST(semaphore_competition, judges_by_every_criterion) {
  const semaphore::standings right{
      .readers = {2, 2}, .writers = {2}, .torn = 0, .overfull = 0, .consistent = true};
  EXPECT_TRUE(semaphore::judge(right, 2).correct);
  EXPECT_TRUE(semaphore::judge(right, 0).correct);
  EXPECT_FALSE(semaphore::judge(right, 3).correct);
  auto wrong = right;
  wrong.torn = 1;
  EXPECT_FALSE(semaphore::judge(wrong, 2).correct);
  wrong = right;
  wrong.overfull = 1;
  EXPECT_FALSE(semaphore::judge(wrong, 2).correct);
  wrong = right;
  wrong.consistent = false;
  EXPECT_FALSE(semaphore::judge(wrong, 2).correct);
}

}  // namespace
}  // namespace finesync::test
