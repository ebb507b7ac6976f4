// The measures of fairness.
#include <workloads/common/observers/fairness.hpp>
#include <workloads/common/timing.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace finesync::test::fairness_test {
namespace {

using workload::fairness_of;
using counts = std::vector<std::uint64_t>;

TEST(fairness, of_equal_shares_is_zero) {
  const auto shares = fairness_of(counts{7, 7, 7});
  EXPECT_EQ(shares.min, 7u);
  EXPECT_EQ(shares.max, 7u);
  EXPECT_DOUBLE_EQ(shares.gini, 0);
}

TEST(fairness, of_one_who_has_everything_is_nearly_one) {
  const auto shares = fairness_of(counts{0, 0, 12, 0});
  EXPECT_EQ(shares.min, 0u);
  EXPECT_EQ(shares.max, 12u);
  EXPECT_DOUBLE_EQ(shares.gini, 0.75);
}

TEST(fairness, does_not_depend_on_the_order) {
  // Mean absolute difference of 1, 2, 3 over twice the mean: (8 / 9) / 4.
  EXPECT_DOUBLE_EQ(fairness_of(counts{3, 1, 2}).gini, 2.0 / 9);
  EXPECT_DOUBLE_EQ(fairness_of(counts{1, 2, 3}).gini, 2.0 / 9);
}

TEST(fairness, of_nothing_is_zero) {
  EXPECT_DOUBLE_EQ(fairness_of({}).gini, 0);
  EXPECT_DOUBLE_EQ(fairness_of(counts{0, 0}).gini, 0);
}

TEST(fairness, is_reported_by_name) {
  std::map<std::string, double> seen;
  workload::report(fairness_of(counts{1, 3}), "acquisitions", seen);
  EXPECT_EQ(seen,
            (std::map<std::string, double>{
                {"acquisitions_min", 1}, {"acquisitions_max", 3}, {"acquisitions_gini", 0.25}}));
}

TEST(median_seconds, resets_before_each_and_warms_up_once) {
  std::vector<char> calls;
  const double median =
      workload::median_seconds([&] { calls.push_back('r'); }, [&] { calls.push_back('l'); }, 3);
  EXPECT_EQ(std::string(calls.begin(), calls.end()), "rlrlrlrl");
  EXPECT_GE(median, 0);
}

}  // namespace
}  // namespace finesync::test::fairness_test
