#include "run_program.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <ctime>
#include <set>
#include <thread>

#include <unistd.h>

namespace {

using bench_test::finished_program;
using bench_test::read_json;
using bench_test::rows_with;
using bench_test::run_fake;
using bench_test::scratch_directory;
using nlohmann::json;

json results_of(std::vector<std::string> arguments, int expected_status = 0) {
  const scratch_directory scratch;
  arguments.push_back("--benchmark_out=" + (scratch / "r.json").string());
  const finished_program done = run_fake(arguments);
  EXPECT_EQ(done.exit_status, expected_status) << done.err;
  EXPECT_FALSE(exists(scratch / "r.json.partial"));
  return read_json(scratch / "r.json");
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> result;
  for (const auto& [key, value] : object.items()) result.insert(key);
  return result;
}

// Seconds since 1970 of a date in UTC, as results have it.
std::time_t seconds_of(const json& date) {
  std::tm utc = {};
  const char* const end =
      strptime(date.get_ref<const std::string&>().c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  return end != nullptr && end == std::string("+00:00") ? timegm(&utc) : 0;
}

TEST(results, context_is_what_the_machine_and_the_build_say) {
  const std::time_t before = std::time(nullptr);
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  run_fake({"--primitive", "good", "--device", "gpu", "--clock-fault", "none",
            "--benchmark_context=room=b12", "--benchmark_out=" + file},
           {"TZ=UTC-5"});
  json context = read_json(file).at("context");
  std::array<char, 256> host = {};
  ASSERT_EQ(gethostname(host.data(), host.size()), 0);
  for (const json& date : {context.at("date"), context.at("finesync").at("date")}) {
    EXPECT_GE(seconds_of(date), before) << date;
    EXPECT_LE(seconds_of(date), std::time(nullptr)) << date;
  }
  json& ours = context.at("finesync");
  ours.erase("gpu");  // gpu_monitor_test.cpp
  ours.erase("date");
  EXPECT_EQ(
      ours,
      (json{{"schema_version", 3},
            {"program", "fake"},
            {"command_line",
             {FAKE_PROGRAM, "--primitive", "good", "--device", "gpu", "--clock-fault", "none",
              "--benchmark_context=room=b12", "--benchmark_out=" + file}},
            {"machine", "gpu"},
            {"machine_settings", {{"device", "gpu"}, {"clock-fault", "none"}, {"driver", "none"}}},
            {"compiler", "a compiler"},
            {"cuda_compiler", "its nvcc"},
            {"cuda_toolkit", "13.0"},
            {"build_type", "Quick"},
            {"git_revision", "0123abc"},
            {"git_dirty", true},
            {"host", host.data()},
            {"finesync_version", "9.8.7"}}));
  for (const char* key : {"date", "finesync"}) context.erase(key);
  EXPECT_EQ(keys(context),
            (std::set<std::string>{"host_name", "executable", "num_cpus", "mhz_per_cpu",
                                   "cpu_scaling_enabled", "caches", "load_avg",
                                   "library_build_type", "json_schema_version", "room"}));
  EXPECT_EQ(context.at("host_name"), host.data());
  EXPECT_EQ(context.at("executable"), FAKE_PROGRAM);
  EXPECT_EQ(context.at("num_cpus"), std::thread::hardware_concurrency());
  EXPECT_EQ(context.at("json_schema_version"), 1);
  EXPECT_EQ(context.at("room"), "b12");
}

TEST(results, the_command_line_is_as_given) {
  const json results = results_of({"--primitive", "good", "--n=two"});
  EXPECT_EQ(results.at("context").at("finesync").at("command_line").at(3), "--n=two");
  EXPECT_EQ(results.at("benchmarks").at(0).at("axes").at("n"), 2);
}

TEST(results, every_repetition_is_a_row_with_its_exact_time) {
  const json results = results_of({"--primitive", "good", "--n", "2"});
  const auto rows = rows_with(results, "run_type", "iteration");
  ASSERT_EQ(rows.size(), 10U);
  for (int i = 0; i < 10; ++i) {
    const json& row = rows[static_cast<std::size_t>(i)];
    EXPECT_EQ(row.at("name"), "fake/primitive:good/n:2/blocks_per_sm:1");
    EXPECT_EQ(row.at("run_name"), "fake/primitive:good/n:2/blocks_per_sm:1");
    EXPECT_EQ(row.at("family_index"), 0);
    EXPECT_EQ(row.at("repetitions"), 10);
    EXPECT_EQ(row.at("repetition_index"), i);
    EXPECT_EQ(row.at("threads"), 1);
    EXPECT_EQ(row.at("iterations"), 1);
    EXPECT_EQ(row.at("time_unit"), "ns");
    // The first launch was the warm-up.
    EXPECT_DOUBLE_EQ(row.at("real_time").get<double>(), 1e6 * (i + 2));
    EXPECT_TRUE(row.at("cpu_time").is_number());
    EXPECT_DOUBLE_EQ(row.at("count_poll").get<double>(), 10.0 * (i + 2));
    // Profilers see the timed launches alone.
    EXPECT_EQ(row.at("count_recorded_launches"), i + 1);
    // That of the experiment alone: others had theirs before.
    EXPECT_EQ(row.at("gpu_memory_bytes"), 300);
    EXPECT_EQ(row.at("launches_before_measure"), 1);
    EXPECT_EQ(row.at("times_measured"), 1);
    EXPECT_EQ(row.at("primitive"), "good");
    EXPECT_EQ(row.at("axes"), (json{{"n", 2}, {"blocks_per_sm", 1}}));
    EXPECT_EQ(row.at("effective"), (json{{"blocks", 4}, {"how", "fairly"}, {"padded", true}}));
    EXPECT_EQ(row.at("status"), "ok");
    EXPECT_FALSE(row.contains("reason"));
    EXPECT_FALSE(row.contains("error_occurred"));
    EXPECT_EQ(row.at("inputs"), (json{{"seed", 42}}));
  }
}

TEST(results, of_a_later_point_profilers_see_the_timed_launches_alone_and_memory_may_shrink) {
  const json results = results_of({"--primitive", "good", "--clock-fault", "memory"});
  const json last = rows_with(results, "run_type", "iteration").back();
  EXPECT_EQ(last.at("count_recorded_launches"), 10);
  EXPECT_FALSE(last.contains("gpu_memory_bytes"));
}

TEST(results, what_a_run_computes_is_exact) {
  const json results = results_of({"--primitive", "good,other_counter", "--n", "2"});
  for (const json& row : rows_with(results, "primitive", "good")) {
    if (row.value("aggregate_name", "") == "stddev" || row.value("aggregate_name", "") == "cv")
      EXPECT_EQ(row.at("weight"), 0.0);
    else
      EXPECT_EQ(row.at("weight").dump(), "1152921504606846977");
  }
  for (const json& row : rows_with(results, "primitive", "other_counter")) {
    EXPECT_FALSE(row.contains("weight"));
    EXPECT_EQ(row.at("effective"), json::object());
  }
}

TEST(results, named_values_are_names_and_axes_are_the_primitives_own) {
  const json results = results_of({"--primitive", "good,picky", "--n", "2"});
  const auto picky = rows_with(results, "primitive", "picky");
  EXPECT_EQ(picky.at(0).at("name"), "fake/primitive:picky/n:2/blocks_per_sm:1/ring:auto/mood:calm");
  EXPECT_EQ(picky.at(0).at("axes"),
            (json{{"n", 2}, {"blocks_per_sm", 1}, {"ring", "auto"}, {"mood", "calm"}}));
  const json given =
      results_of({"--primitive", "picky", "--n", "2", "--ring", "8", "--mood", "wild"});
  EXPECT_EQ(given.at("benchmarks").at(0).at("axes").at("ring"), 8);
  EXPECT_EQ(given.at("benchmarks").at(0).at("axes").at("mood"), "wild");
}

TEST(results, a_timeout_says_who_waited_for_what) {
  const json results = results_of({"--primitive", "timeout", "--n", "1"}, 1);
  const json row = rows_with(results, "run_type", "iteration").at(0);
  EXPECT_EQ(row.at("status"), "timeout");
  EXPECT_EQ(row.at("reason"), "block 3 waited too long");
  EXPECT_EQ(row.at("timeout"), (json{{"block", 3}, {"hung", true}}));
  EXPECT_EQ(row.at("effective").at("blocks"), 4);
}

TEST(results, a_timeout_of_an_instrumented_run_keeps_its_details) {
  const json results = results_of({"--primitive", "stuck_measured", "--n", "1"}, 1);
  EXPECT_EQ(rows_with(results, "run_type", "iteration").at(0).at("timeout"), (json{{"block", 3}}));
}

TEST(results, say_what_a_timed_run_does_not_show) {
  const json results = results_of({"--primitive", "good,other_counter", "--n", "1"});
  for (const json& row : rows_with(results, "primitive", "good"))
    EXPECT_FALSE(row.contains("unverified"));
  for (const json& row : rows_with(results, "primitive", "other_counter"))
    EXPECT_EQ(row.at("unverified"), "the order, by a run after each");
}

TEST(results, aggregates_follow_the_repetitions) {
  const json results = results_of({"--primitive", "good", "--n", "1"});
  const auto rows = rows_with(results, "run_type", "aggregate");
  ASSERT_EQ(rows.size(), 4U);
  const json median = rows_with(results, "aggregate_name", "median").at(0);
  EXPECT_EQ(median.at("name"), "fake/primitive:good/n:1/blocks_per_sm:1_median");
  EXPECT_EQ(median.at("aggregate_unit"), "time");
  EXPECT_DOUBLE_EQ(median.at("real_time").get<double>(), 6.5e6);
  EXPECT_EQ(median.at("axes").at("n"), 1);
  EXPECT_EQ(median.at("status"), "ok");
  EXPECT_FALSE(median.contains("repetition_index"));
  EXPECT_EQ(rows_with(results, "aggregate_name", "mean").size(), 1U);
  EXPECT_EQ(rows_with(results, "aggregate_name", "stddev").size(), 1U);
  const json cv = rows_with(results, "aggregate_name", "cv").at(0);
  EXPECT_EQ(cv.at("aggregate_unit"), "percentage");
  EXPECT_NEAR(cv.at("real_time").get<double>(), std::sqrt(82.5 / 9) / 6.5, 1e-9);
  // 0/0 in Google Benchmark; not a number in JSON.
  EXPECT_EQ(cv.at("zero"), 0);
}

TEST(results, rates_are_reported_for_a_gpu_only) {
  const json host = results_of({"--primitive", "good", "--n", "1"});
  for (const json& row : host.at("benchmarks")) {
    EXPECT_EQ(row.at("time_source"), "host executor wall clock");
    EXPECT_FALSE(row.contains("items_per_second"));
  }
  const json gpu = results_of({"--primitive", "good", "--n", "1", "--device", "gpu"});
  EXPECT_EQ(gpu.at("context").at("finesync").at("machine"), "gpu");
  EXPECT_EQ(gpu.at("context").at("finesync").at("cuda_toolkit"), "13.0");
  for (const json& row : gpu.at("benchmarks")) EXPECT_EQ(row.at("time_source"), "gpu, CUDA events");
  EXPECT_DOUBLE_EQ(gpu.at("benchmarks").at(0).at("items_per_second").get<double>(), 100 / 2e-3);
}

TEST(results, infeasible_points_keep_their_reason) {
  const json results = results_of({"--primitive", "infeasible", "--benchmark_repetitions=3"});
  const auto rows = rows_with(results, "status", "skipped");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("axes").at("n"), 2);
  EXPECT_EQ(rows[0].at("reason"), "n = 2 needs more shared memory");
  EXPECT_EQ(rows[0].at("skipped"), true);
  EXPECT_FALSE(rows[0].contains("error_occurred"));
  EXPECT_EQ(rows_with(results, "status", "ok").size(), 3U + 4U);
}

TEST(results, bad_rows_are_google_benchmarks_errors) {
  for (const auto& [primitive, reason] : {std::pair{"wrong", "sum is 6, not 7"},
                                          {"livelock", "lock 3 is never released"},
                                          {"deadlock", "all threads wait"}}) {
    const json results = results_of({"--primitive", primitive, "--n", "1"}, 1);
    ASSERT_EQ(results.at("benchmarks").size(), 10U);
    const json& row = results.at("benchmarks").at(0);
    EXPECT_EQ(row.at("status"), primitive);
    EXPECT_EQ(row.at("reason"), reason);
    EXPECT_EQ(row.at("error_occurred"), true);
    EXPECT_EQ(row.at("error_message"), std::string(primitive) + ": " + reason);
  }
}

TEST(results, what_is_declared_to_be_wrong_has_a_status_of_its_own) {
  const json results = results_of({"--primitive", "unsound"});
  EXPECT_EQ(rows_with(results, "status", "ok").size(), 14U);  // it may be right
  const auto rows = rows_with(results, "status", "declared_wrong");
  ASSERT_EQ(rows.size(), 10U);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("axes").at("n"), 2);
    EXPECT_EQ(row.at("reason"), "sum is 6, not 7; as declared: nothing orders it");
    EXPECT_EQ(row.at("error_occurred"), true);
  }
}

TEST(results, a_point_with_one_wrong_run_has_no_aggregates) {
  const json results =
      results_of({"--primitive", "wrong_later", "--n", "1", "--benchmark_repetitions=4"}, 1);
  const json& rows = results.at("benchmarks");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.at(0).at("status"), "ok");
  EXPECT_EQ(rows.at(1).at("status"), "ok");
  // Runs after the wrong one are not replaced.
  for (std::size_t i = 2; i < 4; ++i) EXPECT_EQ(rows.at(i).at("status"), "wrong");
}

// The fields that Google Benchmark's compare.py reads from every row with a time.
TEST(results, rows_suit_compare_py) {
  const json results = results_of({"--primitive", "good,wrong_later"}, 1);
  for (const json& row : results.at("benchmarks"))
    for (const char* key :
         {"name", "run_type", "real_time", "cpu_time", "time_unit", "repetitions"})
      EXPECT_TRUE(row.contains(key)) << key << row;
}

TEST(results, random_interleaving_makes_points_again_but_measures_once) {
  const json results = results_of({"--primitive", "good", "--benchmark_repetitions=5",
                                   "--benchmark_enable_random_interleaving=true"});
  EXPECT_EQ(rows_with(results, "run_type", "iteration").size(), 10U);
  for (const json& row : rows_with(results, "run_type", "iteration"))
    EXPECT_EQ(row.at("times_measured"), 1);
}

TEST(results, warm_up_by_google_benchmark_does_not_break_runs) {
  const json results = results_of({"--primitive", "good", "--n", "1", "--benchmark_repetitions=2",
                                   "--benchmark_min_warmup_time=0.05"});
  EXPECT_EQ(rows_with(results, "run_type", "iteration").size(), 2U);
  EXPECT_EQ(rows_with(results, "status", "ok").size(), results.at("benchmarks").size());
}

}  // namespace
