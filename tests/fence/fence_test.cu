// The timed fences on the host executor, which has no cycles: the rounds and their accesses.
#include "all_settings.hpp"
#include "forgetful_touch.cuh"

#include <simt/settings.hpp>
#include <workloads/fence/fence_trial.cuh>

#include <gtest/gtest.h>

#include <stdexcept>

namespace finesync::fence_cost {
namespace {

constexpr unsigned rounds = 6;

TEST(timed_fences, touch_what_they_are_to_touch_in_every_round) {
  for (make_trial* make : all_fences) {
    for_all_settings(rounds, [make](const setup& how) {
      const auto fences = make(how);
      for (unsigned seed = 0; seed < 5; ++seed) {
        const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
        const outcome ended = ending(*fences);
        ASSERT_TRUE(ended.correct) << ended.detail;
      }
    });
  }
}

TEST(timed_fences, with_an_access_left_out_are_rejected) {
  for_all_settings(rounds, [](const setup& how) {
    fence_trial<no_fence, forgetful_touch<rounds>> fences(how);
    EXPECT_EQ(ending(fences).correct, how.touched == place::nothing);
  });
}

TEST(timed_fences, that_never_ran_are_rejected) {
  const auto fences = make_release({.rounds = rounds});
  fences->reset();
  EXPECT_FALSE(fences->check().correct);
}

TEST(timed_fences, fit_into_the_rounds_that_there_is_room_for) {
  EXPECT_THROW(make_release({.rounds = most_rounds + 1}), std::invalid_argument);
  EXPECT_THROW(make_release({.rounds = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace finesync::fence_cost
