#include "run_program.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace {

using bench_test::finished_program;
using bench_test::read_json;
using bench_test::rows_with;
using bench_test::run_fake;
using bench_test::scratch_directory;

// Rejected before anything ran: status 2, one line on stderr, nothing on stdout.
void expect_refused(const std::vector<std::string>& arguments, const std::string& line,
                    const std::vector<std::string>& environment = {}) {
  const finished_program done = run_fake(arguments, environment);
  EXPECT_EQ(done.exit_status, 2) << line;
  EXPECT_EQ(done.err, "fake: error: " + line + "\n");
  EXPECT_EQ(done.out, "");
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  const auto begin = text.find_last_of('\n', end);
  return text.substr(begin + 1, end - begin);
}

void expect_failed(const std::string& primitive, const std::string& message) {
  const finished_program done = run_fake({"--primitive", primitive});
  EXPECT_EQ(done.exit_status, 1) << primitive << done.err;
  EXPECT_EQ(last_line(done.err), "fake: error: 2 of 2 points failed, first fake/primitive:" +
                                     primitive + "/n:1/blocks_per_sm:1: " + message);
  EXPECT_NE(done.out.find(message), std::string::npos) << done.out;
}

TEST(exit_status, one_bad_repetition_ends_with_1) {
  expect_failed("wrong_later", "wrong: lost an update");
}

TEST(exit_status, bad_points_end_with_1_and_say_why) {
  expect_failed("wrong", "wrong: sum is 6, not 7");
  expect_failed("wrong_warm_up", "wrong: cold");
  expect_failed("livelock", "livelock: lock 3 is never released");
  expect_failed("deadlock", "deadlock: all threads wait");
  expect_failed("device_livelock", "livelock: lane 7 polls for ever");
  expect_failed("device_deadlock", "deadlock: nobody can run");
  expect_failed("throws", "error: illegal address");
  expect_failed("host_full", "error: out of host memory (std::bad_alloc)");
  expect_failed("nothing", "error: the primitive made no experiment");
}

TEST(exit_status, an_error_that_loses_the_machine_ends_the_process) {
  const scratch_directory scratch;
  const finished_program done = run_fake({"--primitive", "no_input,poisons,good", "--n", "1",
                                          "--benchmark_out=" + (scratch / "r.json").string()});
  EXPECT_EQ(done.exit_status, 3);
  EXPECT_EQ(last_line(done.err),
            "fake: error: nothing more can run in this process after error: illegal address; 2 of "
            "3 points are finished in " +
                (scratch / "r.json.partial").string());
  // No other point has rows: they would say that it failed.
  const auto failed = rows_with(read_json(scratch / "r.json.partial"), "status", "error");
  EXPECT_EQ(failed.size(), 9U);  // the third launch and what follows
  for (const auto& row : failed) EXPECT_EQ(row.at("primitive"), "poisons");
  EXPECT_FALSE(exists(scratch / "r.json"));
  EXPECT_EQ(read_json(scratch / "r.json.partial").at("benchmarks").size(), 10U + 14U);
  EXPECT_EQ(run_fake({"--primitive", "good,poisons", "--n", "1"}).exit_status, 1);  // the last one
}

TEST(exit_status, an_input_that_cannot_be_read_is_one_line) {
  const scratch_directory scratch;
  const std::string file = scratch / "r.json";
  const finished_program none =
      run_fake({"--primitive", "no_input,good", "--n", "2,1", "--benchmark_out=" + file});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_EQ(last_line(none.err), "fake: error: x.gr: there is no such file");
  EXPECT_EQ(none.out.find("primitive:"), std::string::npos) << none.out;
  EXPECT_FALSE(exists(scratch / "r.json.partial"));
  const finished_program one = run_fake({"--primitive", "no_input", "--benchmark_out=" + file});
  EXPECT_EQ(one.exit_status, 2);
  EXPECT_EQ(last_line(one.err),
            "fake: error: x.gr: there is no such file; 1 of 2 points are finished in " + file +
                ".partial");
  EXPECT_EQ(read_json(file + ".partial").at("benchmarks").size(), 14U);
}

TEST(exit_status, what_is_declared_to_be_wrong_is_no_failure) {
  for (const char* n : {"1,2", "2"})
    EXPECT_EQ(run_fake({"--primitive", "unsound", "--n", n}).exit_status, 0);
  EXPECT_EQ(run_fake({"--primitive", "unsound,wrong", "--n", "2"}).exit_status, 1);
}

TEST(exit_status, a_run_that_nobody_can_verify_is_an_error) {
  const std::string unverified = "error: the run could not be verified: ";
  expect_failed("too_large_to_verify", unverified + "9 GB do not fit");
  expect_failed("too_wide_to_verify", unverified + "9 blocks do not fit");
  expect_failed("refuses_to_verify", unverified + "not today");
}

TEST(exit_status, an_instrumented_run_that_fails_is_a_failure) {
  expect_failed("wrong_measured", "wrong: observed 6, not 7");
  expect_failed("stuck_measured", "timeout: block 3 waited too long");
}

TEST(exit_status, unusable_counters_are_errors_that_name_them) {
  expect_failed("nan", "error: counter 'fairness' is not a finite number");
  expect_failed("reserved", "error: counter 'real_time' has the name of a field of the row");
}

TEST(exit_status, unusable_times_are_errors) {
  const finished_program nan = run_fake({"--primitive", "good", "--clock-fault", "nan"});
  EXPECT_EQ(nan.exit_status, 1);
  EXPECT_NE(nan.err.find("the measured time is not a finite number of seconds"), std::string::npos);
  const finished_program backwards =
      run_fake({"--primitive", "good", "--clock-fault", "backwards"});
  EXPECT_NE(backwards.err.find("the measured time is not a finite number"), std::string::npos);
  const finished_program counts = run_fake({"--primitive", "good", "--clock-fault", "counts"});
  EXPECT_NE(counts.err.find("counter 'count_poll' is not a finite number"), std::string::npos);
  const finished_program zero =
      run_fake({"--primitive", "good", "--clock-fault", "zero", "--device", "gpu"});
  EXPECT_EQ(zero.exit_status, 1);
  EXPECT_NE(zero.err.find("items_per_second is not a finite number"), std::string::npos);
}

TEST(exit_status, a_bad_point_does_not_stop_the_others) {
  const finished_program done = run_fake({"--primitive", "wrong,good", "--n", "1"});
  EXPECT_EQ(done.exit_status, 1);
  EXPECT_NE(done.out.find("primitive:good/n:1/blocks_per_sm:1_median"), std::string::npos);
}

TEST(exit_status, some_infeasible_points_end_with_0) {
  const finished_program done = run_fake({"--primitive", "infeasible"});
  EXPECT_EQ(done.exit_status, 0) << done.err;
  EXPECT_NE(done.out.find("skipped: n = 2 needs more shared memory"), std::string::npos);
}

TEST(exit_status, only_infeasible_points_end_with_2_and_the_first_reason) {
  const finished_program done = run_fake({"--primitive", "infeasible", "--n", "3,2"});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_EQ(last_line(done.err), "fake: error: n = 3 needs more shared memory");
  const finished_program late = run_fake({"--primitive", "late_infeasible"});
  EXPECT_EQ(late.exit_status, 2);
  EXPECT_EQ(last_line(late.err), "fake: error: the grid does not fit");
  const finished_program refused = run_fake({"--primitive", "device_refusal"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_EQ(last_line(refused.err), "fake: error: 9 blocks do not fit");
  const finished_program full = run_fake({"--primitive", "device_full"});
  EXPECT_EQ(full.exit_status, 2);
  EXPECT_EQ(last_line(full.err), "fake: error: 9 GB do not fit");
  const finished_program limited = run_fake({"--primitive", "unsupported"});
  EXPECT_EQ(limited.exit_status, 2);
  EXPECT_EQ(last_line(limited.err), "fake: error: a ring has 4 slots");
}

TEST(exit_status, bad_requests_end_with_2_and_one_line) {
  expect_refused({"--benchmark_context=finesync=x"},
                 "--benchmark_context: 'finesync' is a field of every results file");
  expect_refused({"--primitive", "god"},
                 "--primitive: there is no 'god', did you mean 'good'? (known: good, "
                 "other_counter, wrong, wrong_warm_up, wrong_later, infeasible, late_infeasible, "
                 "timeout, livelock, deadlock, device_livelock, device_deadlock, device_refusal, "
                 "device_full, host_full, throws, poisons, unsupported, no_input, nothing, nan, "
                 "reserved, interrupted, terminated, "
                 "killed, too_large_to_verify, too_wide_to_verify, refuses_to_verify, "
                 "wrong_measured, stuck_measured, slow_to_end, unsound, picky)");
  expect_refused({"--n", "0"}, "--n: 0 is out of range, allowed are 1 to 4096");
  expect_refused({"--n", "8K"}, "--n: 8192 is out of range, allowed are 1 to 4096");
  expect_refused({"--n", "one"}, "--n: 'one' is not a number");
  expect_refused({"--m", "1"}, "unknown option '--m', did you mean '--n'? (see --help)");
  expect_refused({"--device", "tpu"}, "--device: 'tpu' is not host, gpu or none");
  expect_refused({"--device", "none"}, "no CUDA device");
}

TEST(exit_status, bad_google_benchmark_flags_end_with_2_and_one_line) {
  expect_refused({"--benchmark_filter=nothing_like_it"},
                 "--benchmark_filter: no point matches 'nothing_like_it'");
  expect_refused({"--benchmark_filter=("}, "--benchmark_filter: '(' is not a regular expression");
  expect_refused({"--benchmark_repetitions=0"}, "--benchmark_repetitions: at least 1 is needed");
  expect_refused({"--benchmark_repetitions=ten"}, "--benchmark_repetitions: 'ten' is not a number");
  expect_refused({"--benchmark_out_format=xml"},
                 "--benchmark_out_format: there is no format 'xml' (known: json, csv, console)");
  expect_refused({"--benchmark_frobnicate=1"},
                 "Google Benchmark does not understand '--benchmark_frobnicate=1' (write "
                 "--benchmark_flag=VALUE)");
}

TEST(exit_status, a_field_of_every_results_file_cannot_be_set) {
  const scratch_directory scratch;
  run_fake({"--primitive", "good", "--benchmark_out=" + (scratch / "r.json").string()});
  for (const auto& [key, value] : read_json(scratch / "r.json").at("context").items())
    expect_refused({"--primitive", "good", "--benchmark_context=room=b12," + key + "=x"},
                   "--benchmark_context: '" + key + "' is a field of every results file");
}

TEST(exit_status, values_that_google_benchmark_rejects_do_not_end_with_0) {
  EXPECT_EQ(run_fake({"--benchmark_time_unit=fortnight"}).exit_status, 2);
}

TEST(exit_status, results_that_cannot_be_written_are_refused_before_any_run) {
  const scratch_directory scratch;
  const std::string missing = scratch / "no" / "such.json";
  expect_refused({"--primitive", "good", "--benchmark_out=" + missing},
                 "cannot write results to '" + missing + "': No such file or directory");
  const std::string directory = scratch / "";
  EXPECT_EQ(run_fake({"--primitive", "good", "--benchmark_out=" + directory}).exit_status, 2);
  const std::string pipe = scratch / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_refused({"--primitive", "good", "--benchmark_out=" + pipe},
                 "cannot write results to '" + pipe + "': it is not a regular file");
}

using bench_test::read_file;
using bench_test::write_file;

// The primitive ends the program in the third timed run of its second point.
finished_program cut_short(const std::string& primitive, const scratch_directory& scratch) {
  write_file(scratch / "r.json", "old");
  return run_fake(
      {"--primitive", primitive + ",good", "--benchmark_out=" + (scratch / "r.json").string()});
}

void expect_first_point_only(const scratch_directory& scratch) {
  EXPECT_EQ(read_file(scratch / "r.json"), "old");
  const nlohmann::json partial = read_json(scratch / "r.json.partial");
  EXPECT_EQ(partial.at("benchmarks").size(), 14U);
  for (const auto& row : partial.at("benchmarks")) EXPECT_EQ(row.at("axes").at("n"), 1);
  EXPECT_EQ(rows_with(partial, "aggregate_name", "median").size(), 1U);
}

TEST(stop_signal, keeps_the_finished_points_and_the_old_file) {
  for (const auto& [primitive, status] : {std::pair{"interrupted", 130}, {"terminated", 143}}) {
    const scratch_directory scratch;
    const finished_program done = cut_short(primitive, scratch);
    EXPECT_EQ(done.exit_status, status);
    EXPECT_NE(done.err.find("fake: interrupted, 1 of 4 points are finished in "), std::string::npos)
        << done.err;
    EXPECT_EQ(done.out.find("primitive:good"), std::string::npos) << done.out;
    expect_first_point_only(scratch);
  }
}

TEST(stop_signal, ends_a_repetition_that_does_not_end) {
  const scratch_directory scratch;
  const finished_program done = cut_short("slow_to_end", scratch);
  EXPECT_EQ(done.exit_status, 130);
  EXPECT_NE(done.err.find("fake: interrupted in the middle of a point, the points before it are "
                          "finished in " +
                          (scratch / "r.json.partial").string() + "\n"),
            std::string::npos)
      << done.err;
  expect_first_point_only(scratch);
}

TEST(stop_signal, even_a_killed_run_leaves_valid_json) {
  const scratch_directory scratch;
  EXPECT_EQ(cut_short("killed", scratch).exit_status, 128 + 9);
  expect_first_point_only(scratch);
}

// A reader tells by the tab behind the last row of a write whether all of it was written.
TEST(stop_signal, each_write_has_its_mark) {
  const scratch_directory scratch;
  cut_short("killed", scratch);
  const std::string text = read_file(scratch / "r.json.partial");
  std::istringstream lines(text.substr(text.find(",\n\"benchmarks\": [\n")));
  std::vector<bool> marked;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != '{') continue;
    marked.push_back(line.ends_with("}\t") || line.ends_with("}\t,"));
    EXPECT_TRUE(marked.back() || line.ends_with("},")) << line;
  }
  std::vector<bool> expected(14, false);
  expected[9] = expected[13] = true;  // ten repetitions, and then their statistics
  EXPECT_EQ(marked, expected);
}

}  // namespace
