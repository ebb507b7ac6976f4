#include "run_program.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

using bench_test::finished_program;
using bench_test::read_file;
using bench_test::read_json;
using bench_test::rows_with;
using bench_test::run_fake;
using bench_test::scratch_directory;
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
