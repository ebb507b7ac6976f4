// Findings survive their file, and a report that was cut off is not taken for a whole one.
#include <cudart/findings.hpp>
#include <cudart/settings.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace cudart_test {

namespace {

using cudart::finding;
using cudart::finding_kind;

const finding race{finding_kind::race, "sum", "at x,\tthe load\nraces", {"a.cu:1", "b.cu:2"}};
const finding begin{.kind = finding_kind::begin, .subject = "41"};
const finding end{.kind = finding_kind::end, .subject = "41"};
const finding failure{
    finding_kind::failure, "sum", "livelock: 3 of 4", {"a.cu:9"}, "livelock", "all of it"};

TEST(findings, are_read_as_they_were_written) {
  const std::vector<finding> read = cudart::from_lines(to_line(race) + to_line(failure)).findings;
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].kind, race.kind);
  EXPECT_EQ(read[0].kernel, race.kernel);
  EXPECT_EQ(read[0].text, race.text);
  EXPECT_EQ(read[0].places, race.places);
  EXPECT_EQ(read[1].kind, failure.kind);
  EXPECT_EQ(read[1].rule, failure.rule);
  EXPECT_EQ(read[1].subject, failure.subject);
}

TEST(findings, that_were_cut_off_are_left_out) {
  const std::string whole = to_line(race);
  for (std::size_t bytes = 0; bytes + 1 < whole.size(); ++bytes)
    EXPECT_TRUE(cudart::from_lines(whole.substr(0, bytes)).findings.empty()) << bytes;
  EXPECT_TRUE(cudart::from_lines("{\"kind\": 3}\nno line\n[]\n").findings.empty());
}

TEST(report, that_was_cut_at_any_byte_is_not_whole) {
  const std::string whole = to_line(begin) + to_line(race) + to_line(end);
  EXPECT_EQ(cudart::from_lines(whole).lacks, "");
  EXPECT_EQ(cudart::from_lines(whole).findings.size(), 1u);
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes)
    EXPECT_NE(cudart::from_lines(whole.substr(0, bytes)).lacks, "") << bytes;
}

TEST(report, lacks_something_while_one_of_its_processes_has_not_ended) {
  const finding other{.kind = finding_kind::begin, .subject = "42"};
  EXPECT_NE(cudart::from_lines(to_line(begin) + to_line(other) + to_line(end)).lacks, "");
  EXPECT_EQ(cudart::from_lines(to_line(race)).lacks, "");
}

TEST(findings, are_told_even_with_bytes_that_are_not_text) {
  const finding odd{finding_kind::race, "k\xff", "t"};
  EXPECT_EQ(cudart::from_lines(to_line(odd)).findings.size(), 1u);
}

TEST(findings, are_equal_by_their_lines_or_else_by_kernel_and_kind) {
  finding other = race;
  other.kernel = "sum<int>";
  other.text = "other threads";
  EXPECT_EQ(key_of(race), key_of(other));
  other.places = {"a.cu:1", "b.cu:3"};
  EXPECT_NE(key_of(race), key_of(other));
  other.places = {};
  EXPECT_NE(key_of(race), key_of(other));
  finding half = other;
  half.places = {"a.cu:1"};
  EXPECT_EQ(key_of(half), key_of(other));

  finding later = failure;
  later.text = "deadlock: 2 of 4";
  EXPECT_EQ(key_of(failure), key_of(later));
  later.subject = "half of it";
  EXPECT_NE(key_of(failure), key_of(later));
  later = failure;
  later.subject = {};
  EXPECT_EQ(key_of(later), "failure sum livelock");
  finding hint = later;
  hint.kind = finding_kind::hint;
  EXPECT_NE(key_of(hint), key_of(later));
  later = hint;
  later.places = {"a.cu:8"};
  EXPECT_NE(key_of(hint), key_of(later));
}

TEST(findings, of_a_fault_have_its_rule_and_key_in_any_words) {
  simt::fault what{.kind = simt::fault_kind::misaligned,
                   .threads = {{"block 0, thread 3"}},
                   .reason = "accessed x"};
  const finding before = finding_of(finding_kind::failure, "sum", what);
  what.reason = "reworded: y";
  const finding after = finding_of(finding_kind::failure, "sum", what);
  EXPECT_EQ(after.text, "misaligned address: block 0, thread 3 reworded: y");
  EXPECT_EQ(before.rule, after.rule);
  EXPECT_EQ(key_of(before), key_of(after));
}

TEST(run_settings, are_read_from_the_environment_as_they_were_written) {
  cudart::run_settings all;
  all.executor.gpu = simt::find_gpu_model("h200");
  all.executor.schedule = simt::schedule_kind::random;
  all.executor.memory = simt::memory_kind::weak;
  all.executor.check = simt::checking::none;
  all.executor.seed = ~std::uint64_t{0};
  all.volatiles = ptx::volatile_access::plain;
  all.zeroed_memory = true;
  all.report = "a file";
  const auto in_environment = as_environment(all);
  for (const auto& [name, value] : in_environment) {
    setenv(name.c_str(), value.c_str(), 1);
    if (name == "FINESYNC_CHECK_CHECK") unsetenv(name.c_str());  // that of weak memory
  }
  EXPECT_EQ(as_environment(cudart::from_environment()), in_environment);
  for (const auto& [name, value] : in_environment) unsetenv(name.c_str());
  EXPECT_EQ(as_environment(cudart::from_environment())[3].second, "races");
}

}  // namespace

}  // namespace cudart_test
