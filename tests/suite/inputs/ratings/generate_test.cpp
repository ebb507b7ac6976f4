// Generated ratings have exactly the sizes that their names promise.
#include <inputs/ratings/generate.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace finesync::inputs {
namespace {

std::size_t distinct_pairs(const ratings& all) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const rating& each : all.entries) pairs.emplace(each.left, each.right);
  return pairs.size();
}

class every_shape : public testing::TestWithParam<std::string> {};

TEST_P(every_shape, has_exact_sizes_and_largest_degrees) {
  const ratings_shape shape = shape_named(GetParam());
  for (const std::uint32_t seed : {1u, 2019u}) {
    const ratings made = generate(shape, seed);
    EXPECT_EQ(made.name, GetParam());
    EXPECT_EQ(made.lefts, shape.lefts.count);
    EXPECT_EQ(made.rights, shape.rights.count);
    EXPECT_EQ(made.entries.size(), shape.entries);
    const degrees counted = degrees_of(made);
    EXPECT_EQ(std::ranges::max(counted.of_lefts), shape.lefts.largest);
    EXPECT_EQ(std::ranges::max(counted.of_rights), shape.rights.largest);
    EXPECT_GE(std::ranges::min(counted.of_lefts), 1u);
    EXPECT_GE(std::ranges::min(counted.of_rights), 1u);
    const std::size_t distinct = distinct_pairs(made);
    EXPECT_EQ(distinct != shape.entries, shape.repeats);
  }
}

TEST_P(every_shape, depends_on_the_seed_alone) {
  const ratings_shape shape = shape_named(GetParam());
  const ratings made = generate(shape, 1);
  EXPECT_EQ(made.entries, generate(shape, 1).entries);
  EXPECT_NE(made.entries, generate(shape, 2).entries);
}

TEST_P(every_shape, neighbours_share_a_side_hardly_ever) {
  const ratings made = generate(shape_named(GetParam()), 1);
  double shared = 0;
  for (std::size_t i = 1; i < made.entries.size(); ++i)
    shared += made.entries[i - 1].left == made.entries[i].left;
  double by_chance = 0;
  for (const double degree : degrees_of(made).of_lefts)
    by_chance += degree * (degree - 1) / static_cast<double>(made.entries.size());
  EXPECT_NEAR(shared, by_chance, 5 * std::sqrt(by_chance));
}

TEST_P(every_shape, values_are_half_stars_and_the_same_for_the_same_pair) {
  ratings made = generate(shape_named(GetParam()), 1);
  double sum = 0;
  for (const rating& each : made.entries) {
    ASSERT_EQ(each.value * 2, std::round(each.value * 2));
    ASSERT_GE(each.value, 0.5f);
    ASSERT_LE(each.value, 5.0f);
    sum += each.value;
  }
  EXPECT_NEAR(sum / static_cast<double>(made.entries.size()), 3.5, 0.1);
  std::ranges::sort(made.entries, {}, [](const rating& r) { return std::pair(r.left, r.right); });
  for (std::size_t i = 1; i < made.entries.size(); ++i) {
    const rating& one = made.entries[i - 1];
    const rating& other = made.entries[i];
    const bool same_pair = one.left == other.left && one.right == other.right;
    ASSERT_TRUE(!same_pair || one.value == other.value);
  }
}

INSTANTIATE_TEST_SUITE_P(reduced, every_shape,
                         testing::Values("netflix-like/1000", "rcv1-like/1000",
                                         "movielens-10m-like/1000", "movielens-10m-like/100"));

TEST(shape, a_part_keeps_how_many_of_the_pairs_are_rated) {
  for (const ratings_shape& whole : known_shapes()) {
    const ratings_shape part = shape_named(whole.name + "/100");
    const auto density = [](const ratings_shape& of) {
      return of.entries / (double{1} * of.lefts.count * of.rights.count);
    };
    EXPECT_NEAR(density(part), density(whole), density(whole) / 100) << whole.name;
  }
}

TEST(shape, degrees_of_the_whole_add_up_and_go_from_largest_to_least) {
  for (const ratings_shape& shape : known_shapes())
    for (const side_shape& side : {shape.lefts, shape.rights}) {
      const auto made = degrees_of(side, shape.entries, shape.name);
      ASSERT_EQ(made.size(), side.count);
      EXPECT_EQ(std::accumulate(made.begin(), made.end(), std::uint64_t{0}), shape.entries);
      EXPECT_EQ(made.front(), side.largest);
      EXPECT_EQ(std::ranges::max(made), side.largest);
      EXPECT_GE(std::ranges::min(made), side.least);
    }
}

TEST(shape, a_wrong_name_is_one_line) {
  EXPECT_EQ(error_of([] { shape_named("bgg-like"); }), "bgg-like: there is no such generator");
  for (const std::string part : {"/", "/0", "/-1", "/2x", "/1/1", "/99999999999"})
    EXPECT_EQ(error_of([&] { shape_named("rcv1-like" + part); }),
              "rcv1-like" + part + ": the text after '/' must be a whole number from 1");
  EXPECT_EQ(error_of([] { shape_named("rcv1-like/1000000"); }),
            "rcv1-like/1000000: the divisor must be 15384 at most");
}

TEST(shape, what_cannot_be_is_refused) {
  EXPECT_EQ(error_of([] {
              generate({"full", {10, 1, 2, 9}, {3, 1, 2, 9}, 20, false}, 1);
            }),
            "full: no pairing without repeats has these degrees");
  EXPECT_EQ(error_of([] {
              generate({"large", {10, 1, 2, 9}, {9, 1, 2, 9}, 91, false}, 1);
            }),
            "large: no degrees add up to 91 entries");
}

}  // namespace
}  // namespace finesync::inputs
