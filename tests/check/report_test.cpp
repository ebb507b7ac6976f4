// The report of several runs: what is joined, and what the verdict is.
#include <check/report.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace check_test {

namespace {

using check::ending;
using check::finished_run;
using check::verdict;
using cudart::finding;
using cudart::finding_kind;

finding launch_of(const std::string& kernel) {
  return {finding_kind::launch, kernel, "", {}};
}
finding race_at(const std::string& first, const std::string& second) {
  return {finding_kind::race, "sum", "a race", {first, second}};
}

/// A run that launched a kernel, with these findings.
finished_run run_with(std::vector<finding> findings, int status = 0) {
  finished_run run;
  findings.push_back(launch_of("sum"));
  run.findings = std::move(findings);
  run.status = status;
  return run;
}

check::request asked_for(const std::vector<finished_run>& runs) {
  check::request asked;
  asked.command = {"./program", "--size", "3"};
  asked.runs = static_cast<unsigned>(runs.size());
  return asked;
}

check::joined_report joined(const std::vector<finished_run>& runs) {
  return check::joined(asked_for(runs), runs);
}

TEST(joined_findings, are_listed_once_with_their_runs) {
  const auto report =
      joined({run_with({race_at("a.cu:1", "a.cu:2")}), run_with({launch_of("max")}),
              run_with({race_at("a.cu:1", "a.cu:2"), race_at("a.cu:1", "a.cu:3")})});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].runs, (std::vector<unsigned>{1, 3}));
  EXPECT_EQ(report.findings[1].runs, (std::vector<unsigned>{3}));
  EXPECT_EQ(report.kernels, (std::vector<std::string>{"max", "sum"}));
  EXPECT_EQ(verdict_of(report), verdict::found);
}

TEST(joined_findings, name_their_rule) {
  const finding stuck{finding_kind::failure, "sum", "divergent barrier: block 0 ...", {}};
  const finding fails{
      finding_kind::failure, "sum", "Assertion `i < n' failed at a.cu:3 in ...", {}};
  const auto report = joined({run_with({stuck, race_at("a.cu:1", "a.cu:2"), fails}, 1)});
  ASSERT_EQ(report.findings.size(), 3u);
  EXPECT_EQ(report.findings[0].rule, "divergent-barrier");
  EXPECT_EQ(report.findings[1].rule, "data-race");
  EXPECT_EQ(report.findings[2].rule, "failed-assertion");
}

TEST(joined_findings, explain_a_status_or_it_is_one) {
  const auto explained = joined({run_with({race_at("a.cu:1", "a.cu:2")}, 1), run_with({}, 0)});
  EXPECT_EQ(explained.findings.size(), 1u);
  const auto depends = joined({run_with({}, 0), run_with({}, 1), run_with({}, 1)});
  ASSERT_EQ(depends.findings.size(), 1u);
  EXPECT_EQ(depends.findings[0].rule, "schedule-dependent-result");
  EXPECT_EQ(depends.findings[0].runs, (std::vector<unsigned>{2, 3}));
  const auto fails = joined({run_with({}, 1), run_with({}, 1)});
  ASSERT_EQ(fails.findings.size(), 1u);
  EXPECT_EQ(fails.findings[0].rule, "failing-program");
}

TEST(joined_findings, name_what_may_explain_a_failure_and_nothing_else) {
  const finding unset{finding_kind::hint, "sum", "uninitialized memory: ...", {"a.cu:7"}};
  EXPECT_TRUE(joined({run_with({unset})}).findings.empty());
  const auto fails = joined({run_with({unset}, 1)});
  ASSERT_EQ(fails.findings.size(), 1u);
  EXPECT_EQ(fails.findings[0].rule, "failing-program");
  EXPECT_EQ(fails.findings[0].what.places, std::vector<std::string>{"a.cu:7"});
  EXPECT_NE(fails.findings[0].what.text.find("perhaps because of uninitialized memory: ..."),
            std::string::npos);
}

TEST(joined_findings, of_a_check_that_is_not_whole_are_no_clean_bill) {
  EXPECT_EQ(verdict_of(joined({run_with({})})), verdict::nothing_found);
  finished_run slow = run_with({});
  slow.end = ending::out_of_time;
  EXPECT_EQ(verdict_of(joined({slow})), verdict::not_checked);
  const finding refused{finding_kind::refusal, "", "tex is not supported", {}};
  EXPECT_EQ(verdict_of(joined({run_with({refused}, 2)})), verdict::not_checked);
  const std::vector<finished_run> one = {run_with({})};
  check::request two_runs = asked_for(one);
  two_runs.runs = 2;
  EXPECT_EQ(verdict_of(check::joined(two_runs, one)), verdict::not_checked);
}

TEST(report_text, is_like_a_compilers) {
  const std::vector<finished_run> runs = {run_with({race_at("a.cu:1", "b.cu:2")})};
  const check::request asked = asked_for(runs);
  const std::string text = check::as_text({asked, runs, check::joined(asked, runs), {}});
  EXPECT_EQ(text.find("a.cu:1: error: data-race with b.cu:2 in kernel sum\n"), 0u) << text;
  EXPECT_NE(text.find("--schedule round-robin ./program --size 3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("relaxed atomics, as PTX says"), std::string::npos) << text;
}

TEST(report_sarif, has_a_result_per_finding_and_says_what_is_suppressed) {
  const std::vector<finished_run> runs = {
      run_with({race_at("dir/a.cu:1", "b.cu:2"), race_at("c.cu:3", "c.cu:4")})};
  const check::request asked = asked_for(runs);
  auto report = check::joined(asked, runs);
  report.findings[1].suppressed_by = "c.cu:3 # known";
  const auto sarif = nlohmann::json::parse(check::as_sarif({asked, runs, report, {}}));
  const auto& results = sarif["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "dir/a.cu");
  EXPECT_EQ(results[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 2);
  EXPECT_FALSE(results[0].contains("suppressions"));
  EXPECT_EQ(results[1]["suppressions"][0]["justification"], "c.cu:3 # known");
  EXPECT_EQ(sarif["runs"][0]["tool"]["driver"]["rules"].size(), 1u);
}

}  // namespace

}  // namespace check_test
