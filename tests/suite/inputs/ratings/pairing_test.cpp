// Pairs have the specified degrees, and no pair occurs twice.
#include <inputs/ratings/pairing.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>

#include <algorithm>
#include <set>

namespace finesync::inputs {
namespace {

// Every left needs the first right, which plain dealing would give to the last ones several times.
const sides all_need_one{std::vector<std::uint32_t>(60, 5), [] {
                           std::vector<std::uint32_t> rights(41, 6);
                           rights.front() = 60;
                           return rights;
                         }()};

TEST(pairing, nobody_meets_the_same_twice_and_all_meet_as_often_as_they_should) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const auto paired = pair_up(all_need_one, false, seed, "it");
    ASSERT_EQ(paired.size(), 300u);
    for (auto own = paired.begin(); own != paired.end(); own += 5)
      EXPECT_EQ(std::set(own, own + 5).size(), 5u) << "seed " << seed;
    for (std::uint32_t right = 0; right < 41; ++right)
      EXPECT_EQ(std::ranges::count(paired, right), all_need_one.rights[right]);
  }
}

TEST(pairing, repeats_stay_where_they_may) {
  const auto paired = pair_up(all_need_one, true, 1, "it");
  EXPECT_EQ(std::ranges::count(paired, 0u), 60);
  bool repeats = false;
  for (auto own = paired.begin(); own != paired.end(); own += 5)
    repeats |= std::set(own, own + 5).size() != 5;
  EXPECT_TRUE(repeats);
}

TEST(pairing, what_cannot_be_is_refused) {
  // 61 pairs of one right with 60 lefts.
  sides impossible = all_need_one;
  impossible.rights.front() = 61;
  impossible.rights.back() = 5;
  EXPECT_EQ(error_of([&] { pair_up(impossible, false, 1, "it"); }),
            "it: found no pairing without repeats that has these degrees");
}

}  // namespace
}  // namespace finesync::inputs
