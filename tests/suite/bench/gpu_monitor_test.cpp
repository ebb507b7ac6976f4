// What results say of the GPU, with a fake one that is throttled on demand.
#include "run_program.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using bench_test::finished_program;
using bench_test::read_json;
using bench_test::rows_with;
using bench_test::run_fake;
using bench_test::scratch_directory;
using nlohmann::json;

struct run_on_gpu {
  json gpu;
  std::vector<json> rows;  // the repetitions
  std::string err;
};

run_on_gpu run(const std::string& driver, const std::string& primitive = "good",
               int repetitions = 3) {
  const scratch_directory scratch;
  const finished_program done =
      run_fake({"--device", "gpu", "--driver", driver, "--primitive", primitive, "--n", "1",
                "--benchmark_repetitions=" + std::to_string(repetitions),
                "--benchmark_out=" + (scratch / "r.json").string()});
  EXPECT_EQ(done.exit_status, primitive == "good" ? 0 : 1) << done.err;
  const json results = read_json(scratch / "r.json");
  return {results.at("context").at("finesync").at("gpu"),
          rows_with(results, "run_type", "iteration"), done.err};
}

// In milliseconds, which are the numbers of the launches.
json times_of(const std::vector<json>& rows) {
  json times = json::array();
  for (const json& row : rows)
    times.push_back(std::lround(row.at("real_time").get<double>() / 1e6));
  return times;
}

TEST(gpu_monitor, results_name_the_driver_and_the_card) {
  const json gpu = run("cool").gpu;
  EXPECT_EQ(gpu, (json{{"name", "Fake H1"},
                       {"simulated", false},
                       {"compute_capability", "9.0"},
                       {"sms", 4},
                       {"warp_size", 33},
                       {"max_threads_per_sm", 2001},
                       {"max_blocks_per_sm", 17},
                       {"shared_bytes_per_sm", 228001},
                       {"shared_bytes_per_block", 227002},
                       {"l2_bytes", 50003},
                       {"memory_bytes", 80'000'000'004},
                       {"clock_khz", 1'980'005},
                       {"memory_clock_khz", 2'619'006},
                       {"cuda_driver_api", "13.1"},
                       {"runtime", "13.0"},
                       {"driver_version", "580.1"},
                       {"uuid", "GPU-1"},
                       {"power_limit_w", 700.5},
                       {"ecc", "Enabled"},
                       {"mig", "Disabled"},
                       {"persistence", "Perhaps"}}));
}

TEST(gpu_monitor, every_repetition_has_the_clocks_after_it) {
  const std::vector<json> rows = run("cool").rows;
  EXPECT_EQ(times_of(rows), (json{2, 3, 4}));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("sm_clock_mhz"), 1002 + i);
    EXPECT_EQ(rows[i].at("memory_clock_mhz"), 2600);
    EXPECT_FALSE(rows[i].contains("throttled"));
    EXPECT_FALSE(rows[i].contains("power_capped"));
  }
}

TEST(gpu_monitor, a_throttled_sample_is_taken_again) {
  const std::vector<json> rows = run("warm").rows;
  EXPECT_EQ(times_of(rows), (json{2, 4, 5}));
  EXPECT_FALSE(rows.at(0).contains("throttled"));
  EXPECT_EQ(rows.at(1).at("throttled"),
            (json{{"by", {"power brake"}}, {"samples", 1}, {"kept", false}}));
  EXPECT_EQ(rows.at(1).at("sm_clock_mhz"), 1004);
  EXPECT_FALSE(rows.at(2).contains("throttled"));
}

TEST(gpu_monitor, a_gpu_that_stays_throttled_is_measured_and_marked) {
  const std::vector<json> rows = run("hot").rows;
  // Five samples again for the point, not for each repetition.
  EXPECT_EQ(times_of(rows), (json{7, 8, 9}));
  EXPECT_EQ(rows.at(0).at("throttled"),
            (json{{"by", {"power brake"}}, {"samples", 6}, {"kept", true}}));
  EXPECT_EQ(rows.at(2).at("throttled"),
            (json{{"by", {"power brake"}}, {"samples", 1}, {"kept", true}}));
}

TEST(gpu_monitor, a_failure_in_a_throttled_sample_stays_one) {
  // The third sample, the fourth launch, is wrong, and two more would be taken.
  const json row = run("hot", "wrong_later").rows.at(0);
  EXPECT_EQ(row.at("status"), "wrong");
  EXPECT_EQ(row.at("throttled").at("samples"), 3);
}

TEST(gpu_monitor, a_power_cap_is_noted_and_nothing_is_taken_again) {
  const std::vector<json> rows = run("capped").rows;
  EXPECT_EQ(times_of(rows), (json{2, 3, 4}));
  for (const json& row : rows) EXPECT_EQ(row.at("power_capped"), true);
}

TEST(gpu_monitor, without_a_driver_a_line_and_the_results_say_why) {
  const run_on_gpu done = run("broken");
  EXPECT_EQ(done.err.substr(0, done.err.find('\n')),
            "fake: the results will lack driver, UUID and clocks: libnothing.so: no such file");
  EXPECT_EQ(done.gpu.at("unmonitored"), "libnothing.so: no such file");
  EXPECT_FALSE(done.gpu.contains("driver_version"));
  for (const json& row : done.rows) EXPECT_FALSE(row.contains("sm_clock_mhz"));
}

TEST(gpu_monitor, where_there_is_nothing_to_watch_nothing_is_said) {
  const run_on_gpu done = run("none");
  EXPECT_EQ(done.err.find("will lack"), std::string::npos);
  EXPECT_FALSE(done.gpu.contains("unmonitored"));
}

}  // namespace
