#include "run_program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

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

TEST(results, context_is_google_benchmarks_and_ours) {
  const json context =
      results_of({"--primitive", "good", "--benchmark_context=room=b12"}).at("context");
  for (const char* key : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches",
                          "load_avg", "library_build_type"})
    EXPECT_TRUE(context.contains(key)) << key;
  EXPECT_EQ(context.at("room"), "b12");
  const json& ours = context.at("finesync");
  EXPECT_EQ(keys(ours),
            (std::set<std::string>{"schema_version", "program", "command_line", "machine",
                                   "machine_settings", "gpu", "compiler", "cuda_compiler",
                                   "cuda_toolkit", "build_type", "git_revision", "git_dirty",
                                   "date", "host", "finesync_version"}));
  EXPECT_EQ(ours.at("schema_version"), 3);
  EXPECT_EQ(ours.at("program"), "fake");
  EXPECT_EQ(ours.at("machine"), "host executor");
  EXPECT_EQ(ours.at("command_line").at(2), "good");
  EXPECT_EQ(ours.at("machine_settings"),
            (json{{"device", "host"}, {"clock-fault", "none"}, {"driver", "none"}}));
  EXPECT_FALSE(ours.at("git_revision").get<std::string>().empty());
  EXPECT_TRUE(ours.at("git_dirty").is_boolean());
  EXPECT_EQ(keys(ours.at("gpu")),
            (std::set<std::string>{"name", "simulated", "compute_capability", "sms", "warp_size",
                                   "max_threads_per_sm", "max_blocks_per_sm", "shared_bytes_per_sm",
                                   "shared_bytes_per_block", "l2_bytes", "memory_bytes",
                                   "clock_khz", "memory_clock_khz", "cuda_driver_api", "runtime"}));
  EXPECT_EQ(ours.at("gpu").at("name"), "fake host");
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

TEST(results, what_a_run_computes_is_exact) {
  const json results = results_of({"--primitive", "good,other_counter", "--n", "2"});
  for (const json& row : rows_with(results, "primitive", "good")) {
    if (row.value("aggregate_name", "") == "stddev" || row.value("aggregate_name", "") == "cv")
      EXPECT_EQ(row.at("weight"), 0.0);
    else
      EXPECT_EQ(row.at("weight").dump(), "1152921504606846977");
  }
  for (const json& row : rows_with(results, "primitive", "other_counter"))
    EXPECT_FALSE(row.contains("weight"));
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
