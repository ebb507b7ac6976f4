#include <bench/experiment.hpp>
#include <bench/point.hpp>
#include <bench/reporters.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace {

using namespace finesync::bench;

TEST(outcome, survives_its_way_through_an_error_message) {
  for (const status what : {status::ok, status::skipped, status::wrong, status::timeout,
                            status::livelock, status::deadlock, status::error}) {
    const outcome back = from_message(to_message({what, "so: it is"}));
    EXPECT_EQ(back.what, what);
    EXPECT_EQ(back.reason, "so: it is");
  }
}

TEST(outcome, foreign_messages_are_errors) {
  const outcome foreign = from_message("out of cheese: redo");
  EXPECT_EQ(foreign.what, status::error);
  EXPECT_EQ(foreign.reason, "out of cheese: redo");
}

TEST(outcome, statuses_have_distinct_names) {
  EXPECT_EQ(to_string(status::ok), "ok");
  EXPECT_EQ(to_string(status::skipped), "skipped");
  EXPECT_EQ(to_string(status::wrong), "wrong");
  EXPECT_EQ(to_string(status::timeout), "timeout");
  EXPECT_EQ(to_string(status::livelock), "livelock");
  EXPECT_EQ(to_string(status::deadlock), "deadlock");
  EXPECT_EQ(to_string(status::error), "error");
}

using finesync::bench::row_filter;

// Says on stderr what Google Benchmark says before the first row.
class talkative : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    GetErrorStream() << "Run on (2 X 3000 MHz CPU s)\n"
                        "***WARNING*** CPU scaling is enabled\n"
                        "***WARNING*** Library was built as DEBUG. Timings may be affected.\n";
    return true;
  }
  void ReportRuns(const std::vector<Run>&) override { GetErrorStream() << "a row\n"; }
};

TEST(row_filter, leaves_out_what_the_build_of_google_benchmark_would_do_to_its_own_times) {
  talkative target;
  const finesync::bench::point_records none;
  row_filter filter(target, none, row_filter::pace::every_point);
  std::ostringstream out;
  std::ostringstream errors;
  filter.SetOutputStream(&out);
  filter.SetErrorStream(&errors);
  EXPECT_TRUE(filter.ReportContext({}));
  EXPECT_EQ(errors.str(), "Run on (2 X 3000 MHz CPU s)\n***WARNING*** CPU scaling is enabled\n");
  target.ReportRuns({});
  EXPECT_NE(errors.str().find("a row"), std::string::npos) << "later errors are not held back";
}

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

TEST(point, values_with_names_are_called_by_them) {
  const std::vector<axis> axes = {named_axis("section", "", {"push", "empty"}, 1),
                                  {.name = "ring", .values = {0, 64}, .names = {"auto"}}};
  const std::vector<point> points = product("spin", axes);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].name("ht"), "ht/primitive:spin/section:empty/ring:auto");
  EXPECT_EQ(points[1].name("ht"), "ht/primitive:spin/section:empty/ring:64");
  EXPECT_EQ(points[1].with("section", 0).name("ht"), "ht/primitive:spin/section:push/ring:64");
  EXPECT_EQ(points[0].setting_of("section").text(), "empty");
}

TEST(point, an_axis_that_the_primitive_lacks_has_whatever_value) {
  const point where("spin", {{"n", 3}});
  EXPECT_EQ(where.value_or("n", 7), 3);
  EXPECT_EQ(where.value_or("ring", 7), 7);
}

TEST(point, product_moves_the_last_axis_fastest) {
  const std::vector<axis> axes = {{.name = "a", .values = {1, 2}}, {.name = "b", .values = {7, 8}}};
  std::vector<std::string> names;
  for (const point& each : product("x", axes)) names.push_back(each.name("p"));
  EXPECT_EQ(names, (std::vector<std::string>{"p/primitive:x/a:1/b:7", "p/primitive:x/a:1/b:8",
                                             "p/primitive:x/a:2/b:7", "p/primitive:x/a:2/b:8"}));
  ASSERT_EQ(product("x", {}).size(), 1U);
  EXPECT_EQ(product("x", {}).front().name("p"), "p/primitive:x");
}

}  // namespace
