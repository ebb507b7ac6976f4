#include <bench/point.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace finesync::bench;

TEST(point, values_are_found_by_axis_name) {
  const point where("spin", {{"n", 3}, {"tbs-per-sm", 2}});
  EXPECT_EQ(where.primitive(), "spin");
  EXPECT_EQ(where["n"], 3);
  EXPECT_EQ(where["tbs-per-sm"], 2);
  EXPECT_THROW(where["tbs"], std::out_of_range);
}

TEST(point, another_value_makes_another_point) {
  const point where("spin", {{"n", 3}, {"tbs-per-sm", 2}});
  EXPECT_EQ(where.with("n", 5).name("ht"), "ht/primitive:spin/n:5/tbs_per_sm:2");
  EXPECT_EQ(where["n"], 3);
  EXPECT_THROW(where.with("tbs", 5), std::out_of_range);
}

TEST(point, name_lists_primitive_and_axes) {
  EXPECT_EQ(point("spin", {{"n", 3}, {"tbs-per-sm", 2}}).name("ht"),
            "ht/primitive:spin/n:3/tbs_per_sm:2");
  EXPECT_EQ(point("spin", {}).name("ht"), "ht/primitive:spin");
}

TEST(point, product_moves_the_last_axis_fastest) {
  const std::vector<axis> axes = {{.name = "a", .values = {1, 2}}, {.name = "b", .values = {7, 8}}};
  std::vector<std::string> names;
  for (const point& each : product({"x", "y"}, axes)) names.push_back(each.name("p"));
  EXPECT_EQ(names, (std::vector<std::string>{"p/primitive:x/a:1/b:7", "p/primitive:x/a:1/b:8",
                                             "p/primitive:x/a:2/b:7", "p/primitive:x/a:2/b:8",
                                             "p/primitive:y/a:1/b:7", "p/primitive:y/a:1/b:8",
                                             "p/primitive:y/a:2/b:7", "p/primitive:y/a:2/b:8"}));
}

TEST(point, product_without_axes_is_the_primitives) {
  EXPECT_EQ(product({"x", "y"}, {}).size(), 2U);
  EXPECT_TRUE(product({}, {}).empty());
}

}  // namespace
