// The search for the lines on which a primitive is fastest, with times of the test's own.
#include <finesync/host/line_search.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>

namespace finesync {
namespace {

constexpr unsigned per_side = 4;
constexpr unsigned some_poll = 400;

/// Fast lines are those with small indices; the best first poll is 300.
std::uint64_t time_of(const line_choice<>& choice) {
  std::uint64_t time = 0;
  for (unsigned i = 0; i < 2 * per_side; ++i) time += choice.lines[i];
  const auto poll = static_cast<int>(choice.first_poll);
  return time + static_cast<std::uint64_t>(std::abs(poll - 300));
}

line_choice<> searched(const l2_lines& lines, bool vary_first_poll) {
  return fastest_lines(lines, some_poll, vary_first_poll,
                       [](const line_choice<>& choice, unsigned) { return time_of(choice); });
}

std::uint64_t least_of_spread(const l2_lines& lines) {
  std::uint64_t least = ~std::uint64_t{0};
  for (unsigned which = 0; which < l2_lines::choices; ++which)
    least = std::min(least, time_of({lines.spread(which), some_poll}));
  return least;
}

TEST(line_search, finds_faster_lines_than_all_that_are_spread) {
  const l2_lines lines(per_side);
  const line_choice<> found = searched(lines, false);
  EXPECT_LT(time_of(found), least_of_spread(lines) / 2);
  EXPECT_EQ(found.first_poll, some_poll);
}

TEST(line_search, finds_the_first_poll_if_asked) {
  const line_choice<> found = searched(l2_lines(per_side), true);
  EXPECT_NEAR(found.first_poll, 300, 10);
}

TEST(line_search, takes_each_line_once_and_keeps_the_sides_of_the_sms) {
  const l2_lines lines(per_side);
  const l2_lines::selection first = lines.spread(0);
  fastest_lines(lines, some_poll, true, [&](const line_choice<>& choice, unsigned) {
    const auto used = choice.lines.begin() + lines.count();
    EXPECT_EQ(std::set<std::uint32_t>(choice.lines.begin(), used).size(), lines.count());
    EXPECT_TRUE(std::equal(used, choice.lines.end(), first.begin() + lines.count(), first.end()));
    return time_of(choice);
  });
}

TEST(line_search, keeps_what_is_faster_in_the_longer_trial_too) {
  const l2_lines lines(per_side);
  std::uint64_t lucky = 1'000'000;
  const line_choice<> found = fastest_lines(
      lines, some_poll, true,
      [&](const line_choice<>&, unsigned rounds) { return rounds <= 50 ? --lucky : 10'000'000; });
  EXPECT_EQ(found.lines, lines.spread(0));
  EXPECT_EQ(found.first_poll, some_poll);
}

TEST(line_search, gives_up_at_once_if_nothing_ends) {
  unsigned trials = 0;
  fastest_lines(l2_lines(per_side), some_poll, true, [&](const line_choice<>&, unsigned) {
    ++trials;
    return ~std::uint64_t{0};
  });
  EXPECT_LE(trials, 2u);
}

}  // namespace
}  // namespace finesync
