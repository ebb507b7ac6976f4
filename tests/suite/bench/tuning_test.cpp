#include "run_program.hpp"

#include <bench/coordinate_descent.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace {

using bench_test::finished_program;
using bench_test::read_json;
using bench_test::rows_with;
using bench_test::run_program;
using bench_test::scratch_directory;
using nlohmann::json;

struct tuned_run {
  finished_program done;
  json results;
};

tuned_run tune(std::vector<std::string> arguments, const std::string& file = "r.json") {
  const scratch_directory scratch;
  arguments.insert(arguments.begin(), "--tune");
  arguments.push_back("--benchmark_repetitions=2");
  arguments.push_back("--benchmark_out=" + (scratch / "r.json").string());
  finished_program done = run_program(TUNABLE_PROGRAM, arguments);
  return {done, read_json(scratch / file)};
}

json axes(int n, int servers, int blocks) {
  return {{"n", n}, {"servers", servers}, {"blocks_per_sm", blocks}};
}

// The rows of the chosen points, one each.
std::vector<json> chosen_rows(const json& results) {
  std::vector<json> rows;
  for (const json& row : results.at("benchmarks"))
    if (row.contains("tuned") && row.value("repetition_index", -1) == 0) rows.push_back(row);
  return rows;
}

json only_choice(const tuned_run& run) {
  const std::vector<json> rows = chosen_rows(run.results);
  EXPECT_EQ(rows.size(), 1U);
  return rows.at(0);
}

TEST(tuning, the_best_point_is_run_and_the_choice_recorded_in_every_row) {
  const tuned_run run = tune({"--primitive", "good"});
  EXPECT_EQ(run.done.exit_status, 0) << run.done.err;
  const json& rows = run.results.at("benchmarks");
  ASSERT_EQ(rows.size(), 2U + 4);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("axes"), axes(1, 4, 8));
    EXPECT_EQ(row.at("tuned"),
              (json{{"axes", {{"servers", 4}, {"blocks_per_sm", 8}}}, {"candidates_tried", 11}}));
    EXPECT_FALSE(row.contains("excluded_candidate"));
  }
  EXPECT_EQ(rows.at(0).at("name"), "tunable/primitive:good/n:1/servers:4/blocks_per_sm:8");
  EXPECT_DOUBLE_EQ(rows.at(0).at("real_time").get<double>(), 1e6);
  // A warm-up and three runs of each of the 11, and the warm-up of the chosen one.
  EXPECT_EQ(rows.at(0).at("launches_so_far"), 11 * 4 + 1);
  EXPECT_EQ(run.done.err.substr(0, run.done.err.find('\n')),
            "tuned 1/1 tunable/primitive:good/n:1: servers:4 blocks_per_sm:8 (11 tried)");
}

TEST(tuning, without_tune_the_defaults_run_and_no_row_says_tuned) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  run_program(TUNABLE_PROGRAM, {"--primitive", "good", "--benchmark_out=" + file});
  for (const json& row : read_json(file).at("benchmarks")) {
    EXPECT_EQ(row.at("axes"), axes(1, 1, 1));
    EXPECT_FALSE(row.contains("tuned"));
  }
}

TEST(tuning, an_axis_that_the_user_gives_is_held_at_each_value) {
  const tuned_run run = tune({"--primitive", "good", "--servers", "8,2"});
  EXPECT_EQ(run.done.exit_status, 0) << run.done.err;
  const std::vector<json> rows = chosen_rows(run.results);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("axes"), axes(1, 8, 8));
  EXPECT_EQ(rows[1].at("axes"), axes(1, 2, 8));
  for (const json& row : rows)
    EXPECT_EQ(row.at("tuned"), (json{{"axes", {{"blocks_per_sm", 8}}}, {"candidates_tried", 5}}));
}

TEST(tuning, primitives_have_axes_of_their_own_and_every_combination_is_tuned) {
  const tuned_run run = tune({"--primitive", "fixed,good", "--n", "1,2"});
  const std::vector<json> rows = chosen_rows(run.results);
  ASSERT_EQ(rows.size(), 4U);
  for (int n : {1, 2}) {
    const json& fixed = rows[static_cast<std::size_t>(n - 1)];
    EXPECT_EQ(fixed.at("axes"), axes(n, 1, 1));
    EXPECT_EQ(fixed.at("tuned"), (json{{"axes", json::object()}, {"candidates_tried", 0}}));
    EXPECT_EQ(rows[static_cast<std::size_t>(n + 1)].at("axes"), axes(n, 4, 8));
  }
  EXPECT_NE(
      run.done.err.find(
          "tuned 2/4 tunable/primitive:fixed/n:2/servers:1/blocks_per_sm:1: nothing to choose\n"),
      std::string::npos)
      << run.done.err;
}

TEST(tuning, neither_a_slow_warm_up_nor_one_slow_run_decides) {
  for (const char* kind : {"outlier", "lucky"})
    EXPECT_EQ(only_choice(tune({"--primitive", kind})).at("axes"), axes(1, 4, 8)) << kind;
}

TEST(tuning, what_counts_is_time_per_item) {
  EXPECT_EQ(only_choice(tune({"--primitive", "more_work"})).at("axes"), axes(1, 8, 1));
}

TEST(tuning, infeasible_candidates_are_skipped) {
  const tuned_run run = tune({"--primitive", "infeasible"});
  EXPECT_EQ(run.done.exit_status, 0) << run.done.err;
  EXPECT_EQ(only_choice(run).at("axes"), axes(1, 4, 4));
  EXPECT_EQ(run.results.at("benchmarks").size(), 2U + 4);
}

TEST(tuning, failed_candidates_are_excluded_and_reported_as_rows) {
  for (const auto& [primitive, status, reason] :
       {std::tuple{"wrong", "wrong", "lost an update"},
        std::tuple{"livelock", "livelock", "lock 3"},
        std::tuple{"deadlock", "deadlock", "all wait"},
        std::tuple{"no_time", "error", "items_per_second is not a finite number"},
        std::tuple{"throws", "error", "illegal address"}}) {
    const tuned_run run = tune({"--primitive", primitive});
    EXPECT_EQ(run.done.exit_status, 1) << primitive;
    const std::string name = std::string("tunable/primitive:") + primitive;
    EXPECT_NE(run.done.err.find("tunable: error: 1 of 2 points failed, first " + name +
                                "/n:1/servers:4/blocks_per_sm:8: " + status +
                                ": while tuning: " + reason + "\n"),
              std::string::npos)
        << run.done.err;
    EXPECT_NE(run.done.err.find("(11 tried, 1 failed)\n"), std::string::npos) << run.done.err;
    const json choice = only_choice(run);
    EXPECT_EQ(choice.at("status"), "ok");
    EXPECT_EQ(choice.at("axes"), axes(1, 4, 4));
    const auto failures = rows_with(run.results, "status", status);
    ASSERT_EQ(failures.size(), 2U) << primitive;
    for (const json& row : failures) {
      EXPECT_EQ(row.at("axes"), axes(1, 4, 8));
      EXPECT_EQ(row.at("reason"), std::string("while tuning: ") + reason);
      EXPECT_EQ(row.at("excluded_candidate"), true);
      EXPECT_EQ(row.at("inputs"), (json{{"seed", 42}}));
      EXPECT_FALSE(row.contains("tuned"));
    }
  }
}

TEST(tuning, where_every_candidate_fails_the_start_stands_with_its_failure) {
  const tuned_run run = tune({"--primitive", "all_wrong"});
  EXPECT_EQ(run.done.exit_status, 1);
  const json choice = only_choice(run);
  EXPECT_EQ(choice.at("status"), "wrong");
  EXPECT_EQ(choice.at("axes"), axes(1, 1, 1));
  EXPECT_EQ(rows_with(run.results, "excluded_candidate", true).size(), 7U * 2);
}

TEST(tuning, where_no_candidate_is_feasible_the_point_is_skipped) {
  const tuned_run run = tune({"--primitive", "never"});
  EXPECT_EQ(run.done.exit_status, 2);
  EXPECT_NE(run.done.err.find("no candidate is usable (8 tried)\n"), std::string::npos);
  EXPECT_NE(run.done.err.find("tunable: error: no grid fits\n"), std::string::npos);
  EXPECT_EQ(only_choice(run).at("status"), "skipped");
}

TEST(tuning, is_refused_on_the_host_executor) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  const finished_program done =
      run_program(TUNABLE_PROGRAM, {"--tune", "--device", "host", "--benchmark_out=" + file});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_EQ(done.err,
            "tunable: error: --tune needs a GPU: times on the host executor say nothing about "
            "one\n");
  EXPECT_EQ(done.out, "");
  EXPECT_FALSE(exists(scratch / "r.json.partial"));
}

TEST(tuning, an_interruption_ends_it_and_leaves_a_valid_file) {
  const tuned_run run = tune({"--primitive", "interrupted", "--n", "1,2,3"}, "r.json.partial");
  EXPECT_EQ(run.done.exit_status, 130);
  EXPECT_NE(run.done.err.find("tuned 1/3"), std::string::npos) << run.done.err;
  EXPECT_EQ(run.done.err.find("tuned 2/3"), std::string::npos) << run.done.err;
  EXPECT_EQ(run.done.err.find("launched after"), std::string::npos) << run.done.err;
  EXPECT_NE(run.done.err.find("tunable: interrupted, 0 of 3 points are finished in "),
            std::string::npos)
      << run.done.err;
  EXPECT_TRUE(run.results.at("benchmarks").empty());
}

TEST(tuning, an_interruption_does_not_hide_a_failed_candidate) {
  const tuned_run run = tune({"--primitive", "wrong,interrupted", "--n", "2"}, "r.json.partial");
  EXPECT_EQ(run.done.exit_status, 130);
  const auto failures = rows_with(run.results, "status", "wrong");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].at("excluded_candidate"), true);
  EXPECT_EQ(run.results.at("benchmarks").size(), 2U);
}

TEST(tuning, a_candidate_that_loses_the_machine_ends_it_with_an_error_of_its_point) {
  const tuned_run run = tune({"--primitive", "good,poisons,fixed"}, "r.json.partial");
  EXPECT_EQ(run.done.exit_status, 3);
  EXPECT_EQ(run.done.err.find("tuned 2/3"), std::string::npos) << run.done.err;
  const json choice = only_choice(run);
  EXPECT_EQ(choice.at("primitive"), "poisons");
  EXPECT_EQ(choice.at("reason"),
            "while tuning: nothing more can run in this process after error: illegal address");
  EXPECT_EQ(rows_with(run.results, "excluded_candidate", true).size(), 2U);
  EXPECT_EQ(run.results.at("benchmarks").size(), 2U + 2);
  EXPECT_NE(run.done.err.find("2 of 4 points are finished in "), std::string::npos) << run.done.err;
}

TEST(tuning, an_input_that_cannot_be_read_ends_it_at_once) {
  const finished_program done =
      run_program(TUNABLE_PROGRAM, {"--tune", "--primitive", "no_input,good"});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_NE(done.err.find("\ntunable: error: x.gr: there is no such file\n"), std::string::npos);
  EXPECT_EQ(done.err.find("tuned"), std::string::npos);
}

TEST(tuning, lists_and_filters_points_by_the_axes_that_are_not_open) {
  const finished_program done = run_program(
      TUNABLE_PROGRAM, {"--tune", "--primitive", "good,more_work,fixed", "--blocks-per-sm", "1,2",
                        "--benchmark_list_tests", "--benchmark_filter=blocks_per_sm:2$"});
  EXPECT_EQ(done.out,
            "tunable/primitive:good/n:1/blocks_per_sm:2\n"
            "tunable/primitive:more_work/n:1/blocks_per_sm:2\n"
            "tunable/primitive:fixed/n:1/servers:1/blocks_per_sm:2\n");
}

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
