#include <bench/coordinate_descent.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace {

using namespace finesync::bench;

const axis servers = {.name = "servers", .values = {1}, .candidates = {2, 4, 8}};
const axis blocks = {.name = "blocks", .values = {1}, .candidates = {2, 4, 8, 16}};
const point start("p", {{"n", 7}, {"servers", 1}, {"blocks", 1}});

double distance(const point& where, const char* axis_name, double best) {
  return std::abs(std::log2(static_cast<double>(where[axis_name]) / best));
}

double separable(const point& where) {
  return 1 + distance(where, "servers", 4) + distance(where, "blocks", 8);
}

TEST(coordinate_descent, finds_the_optimum_of_a_separable_cost) {
  const descent_result end = coordinate_descent(start, {servers, blocks}, separable);
  EXPECT_EQ(end.best.name("p"), "p/primitive:p/n:7/servers:4/blocks:8");
  EXPECT_TRUE(end.has_cost);
}

TEST(coordinate_descent, axes_that_are_not_open_stay) {
  const descent_result end = coordinate_descent(start, {blocks}, separable);
  EXPECT_EQ(end.best.name("p"), "p/primitive:p/n:7/servers:1/blocks:8");
  EXPECT_EQ(end.tried, 5U);
}

TEST(coordinate_descent, asks_once_per_point) {
  std::map<std::string, int> asked;
  const descent_result end = coordinate_descent(start, {servers, blocks}, [&](const point& where) {
    ++asked[where.name("p")];
    return separable(where);
  });
  for (const auto& [name, times] : asked) EXPECT_EQ(times, 1) << name;
  EXPECT_EQ(end.tried, asked.size());
  // The start, 3 more server counts, 4 more block counts; in the second round 3 server counts.
  EXPECT_EQ(end.tried, 1U + 3 + 4 + 3);
}

TEST(coordinate_descent, goes_round_again_where_axes_depend_on_each_other) {
  // Many servers pay off only with many blocks, and servers are tuned first.
  const descent_result end = coordinate_descent(start, {servers, blocks}, [](const point& where) {
    return where["blocks"] >= 8 ? 10.0 - static_cast<double>(where["servers"])
                                : 20.0 + static_cast<double>(where["servers"]);
  });
  EXPECT_EQ(end.best.name("p"), "p/primitive:p/n:7/servers:8/blocks:8");
}

TEST(coordinate_descent, ends_after_three_rounds) {
  // A staircase: each round takes one step per axis.
  const axis x = {.name = "x", .values = {0}, .candidates = {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const axis y = {.name = "y", .values = {0}, .candidates = {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const descent_result end =
      coordinate_descent(point("p", {{"x", 0}, {"y", 0}}), {x, y}, [](const point& where) {
        const auto ahead = static_cast<double>(where["x"] - where["y"]);
        return std::abs(ahead - 0.5) * 100 - static_cast<double>(where["x"] + where["y"]);
      });
  EXPECT_EQ(end.best.name("p"), "p/primitive:p/x:3/y:3");
}

TEST(coordinate_descent, points_without_cost_are_passed_over) {
  const descent_result end =
      coordinate_descent(start, {blocks}, [](const point& where) -> std::optional<double> {
        if (where["blocks"] == 8 || where["blocks"] == 1) return std::nullopt;
        return separable(where);
      });
  EXPECT_EQ(end.best["blocks"], 4);
  EXPECT_EQ(end.tried, 5U);
}

TEST(coordinate_descent, stays_where_nothing_has_a_cost) {
  const descent_result end =
      coordinate_descent(start, {servers, blocks}, [](const point&) { return std::nullopt; });
  EXPECT_EQ(end.best.settings(), start.settings());
  EXPECT_FALSE(end.has_cost);
}

TEST(coordinate_descent, of_equal_costs_the_first_stands) {
  EXPECT_EQ(coordinate_descent(start, {servers, blocks}, [](const point&) { return 1.0; })
                .best.settings(),
            start.settings());
}

}  // namespace
