#include "run_program.hpp"

#include <gtest/gtest.h>
#include <sys/file.h>

#include <cstdint>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace {

using bench_test::finished_program;
using bench_test::read_file;
using bench_test::read_json;
using bench_test::run_fake;
using bench_test::run_program;
using bench_test::scratch_directory;
using bench_test::write_file;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(output, help_is_text_on_stdout) {
  for (const char* flag : {"--help", "-h"}) {
    const finished_program done = run_fake({"--primitive", "nonsense", flag});
    EXPECT_EQ(done.exit_status, 0);
    EXPECT_NE(done.out.find("residency (default 1)\n"), std::string::npos) << done.out;
    const finished_program all = run_fake({flag, "all"});
    EXPECT_NE(all.out.find("residency (unit: blocks; 1 to 32; default 1)\n"), std::string::npos);
    EXPECT_EQ(done.out.rfind("fake: Fails on demand.\n\nusage: fake ", 0), 0U) << done.out;
    EXPECT_EQ(done.err, "");
  }
}

TEST(output, first_line_names_the_machine) {
  const finished_program host = run_fake({"--primitive", "good"});
  EXPECT_EQ(host.out.substr(0, host.out.find('\n')),
            "machine: fake host, 4 SMs, simulated on the host; times are not GPU times");
  const finished_program gpu = run_fake({"--primitive", "good", "--device", "gpu"});
  EXPECT_EQ(gpu.out.substr(0, gpu.out.find('\n')),
            "machine: gpu Fake H1, 4 SMs, compute capability 9.0; times from CUDA events");
}

TEST(output, shows_a_failure_once_per_point_and_no_number_as_nan) {
  const finished_program done = run_fake({"--primitive", "good,wrong"});
  EXPECT_EQ(count(done.out, "wrong: sum is 6, not 7"), 2U) << done.out;
  EXPECT_EQ(count(done.out, "nan"), 0U) << done.out;
}

TEST(output, list_tests_and_filter_use_the_names_of_the_rows) {
  const finished_program listed = run_fake(
      {"--primitive", "good,wrong", "--benchmark_list_tests", "--benchmark_filter=n:1/.*:1$"});
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
  EXPECT_EQ(listed.out,
            "fake/primitive:good/n:1/blocks_per_sm:1\nfake/primitive:wrong/n:1/blocks_per_sm:1\n");
  const finished_program inverted =
      run_fake({"--primitive", "good,wrong", "--benchmark_filter=-wrong"});
  EXPECT_EQ(inverted.exit_status, 0) << inverted.err;
  EXPECT_EQ(count(inverted.out, "_median"), 2U);
  EXPECT_EQ(
      count(
          run_fake({"--primitive", "good", "--benchmark_list_tests", "--benchmark_filter=all"}).out,
          "\n"),
      2U);
}

TEST(output, flags_may_come_from_the_environment) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  const finished_program done =
      run_fake({"--primitive", "good"}, {"BENCHMARK_REPETITIONS=2", "BENCHMARK_OUT=" + file});
  EXPECT_EQ(done.exit_status, 0) << done.err;
  EXPECT_EQ(read_json(file).at("benchmarks").at(0).at("repetitions"), 2);
}

TEST(output, json_on_stdout_is_alone_there) {
  const finished_program done = run_fake({"--primitive", "good", "--benchmark_format=json"});
  EXPECT_EQ(nlohmann::json::parse(done.out).at("benchmarks").size(), 28U);
}

TEST(output, tabular_and_aggregates_only_reach_google_benchmark) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  const finished_program done =
      run_fake({"--primitive", "good", "--n", "1", "--benchmark_counters_tabular=true",
                "--benchmark_display_aggregates_only=true", "--benchmark_out=" + file});
  EXPECT_EQ(count(done.out, "primitive:good"), 4U) << done.out;
  EXPECT_NE(done.out.find(" times_measured"), std::string::npos);
  EXPECT_EQ(read_json(file).at("benchmarks").size(), 14U) << "the file is whole";
}

// Google Benchmark ends the process when a later row has a counter that the first has not.
TEST(output, csv_has_the_counters_of_all_points) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.csv";
  const finished_program done =
      run_fake({"--primitive", "good,other_counter", "--n", "1", "--benchmark_out_format=csv",
                "--benchmark_format=csv", "--benchmark_out=" + file});
  EXPECT_EQ(done.exit_status, 0) << done.err;
  const std::string text = read_file(file);
  // Google Benchmark prints its context before the table.
  const std::string table = text.substr(text.find("name,iterations,real_time"));
  EXPECT_NE(text.find("\"retries\""), std::string::npos);
  EXPECT_NE(text.find("\"times_measured\""), std::string::npos);
  EXPECT_EQ(count(table, "\n"), 1U + 2 * 14);
  EXPECT_EQ(done.out, table);
  EXPECT_FALSE(exists(scratch / "r.csv.partial"));
}

TEST(output, console_format_goes_to_files_too) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.txt";
  run_fake({"--primitive", "good", "--n", "1", "--benchmark_out_format=console",
            "--benchmark_out=" + file});
  EXPECT_EQ(count(read_file(file), "fake/primitive:good/n:1/blocks_per_sm:1"), 14U);
}

// A full disk, simulated by a limit on the size of files in units of 512 bytes.
finished_program run_with_limit(const std::string& format, const std::string& file,
                                std::uintmax_t limit) {
  return run_fake(
      {"--primitive", "good", "--benchmark_out_format=" + format, "--benchmark_out=" + file}, {},
      "trap '' XFSZ; ulimit -f " + std::to_string(limit) + "; ");
}

TEST(output, incomplete_results_do_not_replace_an_older_file) {
  for (const char* format : {"json", "csv", "console"}) {
    const scratch_directory scratch;
    const std::string file = scratch / "r";
    write_file(file, "old");
    const finished_program done = run_with_limit(format, file, 2);
    EXPECT_EQ(done.exit_status, 2) << format;
    EXPECT_NE(done.err.find("fake: error: could not write all of " + file + ".partial\n"),
              std::string::npos)
        << done.err;
    EXPECT_EQ(read_file(file), "old");
  }
}

TEST(output, results_that_lack_only_the_last_rows_are_incomplete) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  ASSERT_EQ(run_with_limit("json", file, 1000).exit_status, 0);
  const auto whole = std::filesystem::file_size(file);
  EXPECT_EQ(run_with_limit("json", file, whole / 512 - 1).exit_status, 2);
}

TEST(output, a_full_disk_leaves_valid_json) {
  for (const std::uintmax_t limit : {8, 13, 20, 30}) {
    const scratch_directory scratch;
    EXPECT_EQ(run_with_limit("json", scratch / "r.json", limit).exit_status, 2);
    const auto rows = read_json(scratch / "r.json.partial").at("benchmarks").size();
    // A point's repetitions are written at once, and then its statistics.
    EXPECT_TRUE(rows % 14 == 0 || rows % 14 == 10) << rows;
    EXPECT_LT(rows, 28U);
  }
}

TEST(output, a_disk_without_any_room_leaves_no_file) {
  const scratch_directory scratch;
  EXPECT_EQ(run_with_limit("json", scratch / "r.json", 1).exit_status, 2);
  EXPECT_FALSE(exists(scratch / "r.json.partial"));
}

TEST(output, a_file_that_another_process_writes_is_refused) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  const std::string partial = file + ".partial";
  const int others = open(partial.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(others, LOCK_EX), 0);
  const finished_program refused = run_fake({"--primitive", "good", "--benchmark_out=" + file});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_EQ(refused.err, "fake: error: cannot write results to '" + file +
                             "': another process is writing " + partial + "\n");
  EXPECT_EQ(refused.out, "");
  close(others);
  EXPECT_EQ(run_fake({"--primitive", "good", "--benchmark_out=" + file}).exit_status, 0);
  EXPECT_EQ(read_json(file).at("benchmarks").size(), 28U);
}

// Runs the fake program in a shell, which may redirect its output.
finished_program run_in_shell(const std::string& arguments) {
  return run_program("/bin/sh", {"-c", FAKE_PROGRAM " " + arguments});
}

TEST(output, lost_output_is_a_failure) {
  for (const std::string asked :
       {"--help", "--benchmark_list_tests", "--primitive good",
        "--primitive good --benchmark_format=json", "--primitive good --benchmark_format=csv"}) {
    for (const std::string lost : {" >/dev/full", " >&-"}) {
      const finished_program done = run_in_shell(asked + lost);
      EXPECT_EQ(done.exit_status, 2) << asked << lost;
      EXPECT_NE(done.err.find("fake: error: cannot write all output to stdout\n"),
                std::string::npos)
          << done.err;
    }
  }
  EXPECT_EQ(run_in_shell("--primitive wrong >/dev/full").exit_status, 1);
}

TEST(output, without_stdout_no_file_takes_its_place) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  EXPECT_EQ(run_in_shell("--primitive good --benchmark_out=" + file + " >&- <&-").exit_status, 2);
  EXPECT_EQ(read_json(file).at("benchmarks").size(), 28U);
}

TEST(output, a_reader_that_leaves_early_is_no_error) {
  const finished_program done = run_in_shell("--primitive good --benchmark_format=csv | true");
  EXPECT_EQ(done.exit_status, 0);
  EXPECT_EQ(done.err.find("error"), std::string::npos) << done.err;
}

TEST(output, a_folder_in_the_place_of_results_is_refused) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  std::filesystem::create_directory(file + ".partial");
  EXPECT_EQ(
      run_fake({"--primitive", "good", "--benchmark_out=" + file}).err,
      "fake: error: cannot write results to '" + file + ".partial': it is not a regular file\n");
}

TEST(output, results_replace_an_older_file_also_through_a_link) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  write_file(scratch / "old.json", "old");
  std::filesystem::create_symlink("old.json", file);
  EXPECT_EQ(run_fake({"--primitive", "good", "--benchmark_out=" + file}).exit_status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(file));
  EXPECT_EQ(read_json(scratch / "old.json").at("benchmarks").size(), 28U);
  std::filesystem::remove(file);
  write_file(file, "old");
  EXPECT_EQ(run_fake({"--primitive", "good", "--benchmark_out=" + file}).exit_status, 0);
  EXPECT_EQ(read_json(file).at("benchmarks").size(), 28U);
}

}  // namespace
