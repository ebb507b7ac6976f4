// The report of several runs: what is joined, and what the verdict is.
#include <check/coverage.hpp>
#include <check/report.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
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
  return {finding_kind::launch, kernel};
}
finding race_at(const std::string& first, const std::string& second) {
  return {finding_kind::race, "sum", "a race", {first, second}, "data-race"};
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
  asked.settings.executor.check = simt::checking::races;
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

TEST(joined_coverage, is_that_of_all_runs_and_processes) {
  const auto ran = [](const std::string& kernel, const std::string& sites) {
    return finding{finding_kind::coverage,         kernel, sites,
                   {"a.cu:1", "a.cu:2", "a.cu:3"}, "",     kernel};
  };
  const auto inexact = [](const std::string& opcode, const std::string& rule,
                          const std::string& reached) {
    return finding{finding_kind::fidelity, "sum", opcode, {"a.cu:1"}, rule, reached};
  };
  const std::vector<finished_run> runs{
      run_with({ran("sum", "Aab"), inexact("ex2.approx.f32", "approximate", "")}),
      run_with({ran("sum", "aAb"), ran("max", "Aab"), inexact("prefetch.L2", "skipped", ""),
                inexact("mma.sync", "approximate", "branch")})};
  const check::joined_coverage all = check::coverage_of(runs);
  EXPECT_EQ(all.not_run, (std::vector<std::string>{"a.cu:2", "a.cu:3"}));
  EXPECT_EQ(text_of(all),
            "coverage: 3 of 4 accesses and 0 of 2 barriers in the launched kernels ran\n"
            "fidelity: exact but for ex2.approx.f32, mma.sync, which are approximate (mma.sync may "
            "reach a branch); skipped as hints: prefetch.L2\n");
  EXPECT_EQ(text_of(check::coverage_of({})),
            "coverage: 0 of 0 accesses and 0 of 0 barriers in the launched kernels ran\n"
            "fidelity: all instructions are exact\n");
  // It explains no failure.
  EXPECT_EQ(joined({run_with({ran("sum", "A")}, 3)}).findings.size(), 1u);
}

TEST(joined_findings, have_a_rule_and_a_key_that_no_wording_changes) {
  finding stuck{finding_kind::failure, "sum", "divergent barrier: block 0 ...", {}, "a-rule"};
  finding fails{finding_kind::failure, "sum", "Assertion `i < n' ...", {}, "a-claim", "i < n"};
  const auto before = joined({run_with({stuck, race_at("a.cu:1", "a.cu:2"), fails}, 1)});
  stuck.text = "deadlock: reworded";
  fails.text = "reworded, too";
  const auto after = joined({run_with({stuck, race_at("a.cu:1", "a.cu:2"), fails}, 1)});
  ASSERT_EQ(after.findings.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after.findings[i].what.rule, before.findings[i].what.rule);
    EXPECT_EQ(key_of(after.findings[i].what), key_of(before.findings[i].what));
  }
  EXPECT_EQ(key_of(after.findings[0].what), "failure sum a rule");
  EXPECT_EQ(key_of(after.findings[2].what), "failure sum i < n");
}

TEST(joined_findings, explain_a_status_or_it_is_one) {
  const auto explained = joined({run_with({race_at("a.cu:1", "a.cu:2")}, 1), run_with({}, 0)});
  EXPECT_EQ(explained.findings.size(), 1u);
  const auto depends = joined({run_with({}, 0), run_with({}, 1), run_with({}, 1)});
  ASSERT_EQ(depends.findings.size(), 1u);
  EXPECT_EQ(depends.findings[0].what.rule, "schedule-dependent-result");
  EXPECT_EQ(depends.findings[0].runs, (std::vector<unsigned>{2, 3}));
  const auto fails = joined({run_with({}, 1), run_with({}, 1)});
  ASSERT_EQ(fails.findings.size(), 1u);
  EXPECT_EQ(fails.findings[0].what.rule, "failing-program");
}

TEST(joined_findings, name_what_may_explain_a_failure_and_nothing_else) {
  const finding unset{finding_kind::hint, "sum", "uninitialized memory: ...", {"a.cu:7"}};
  EXPECT_TRUE(joined({run_with({unset})}).findings.empty());
  const auto fails = joined({run_with({unset}, 1)});
  ASSERT_EQ(fails.findings.size(), 1u);
  EXPECT_EQ(fails.findings[0].what.rule, "failing-program");
  EXPECT_EQ(fails.findings[0].what.places, std::vector<std::string>{"a.cu:7"});
  EXPECT_NE(fails.findings[0].what.text.find("perhaps because of uninitialized memory: ..."),
            std::string::npos);
}

TEST(joined_findings, of_a_check_that_is_not_whole_are_no_clean_bill) {
  EXPECT_EQ(verdict_of(joined({run_with({})})), verdict::nothing_found);
  finished_run slow = run_with({});
  slow.end = ending::out_of_time;
  EXPECT_EQ(verdict_of(joined({slow})), verdict::not_checked);
  const finding refused{finding_kind::refusal, "", "tex is not supported"};
  EXPECT_EQ(verdict_of(joined({run_with({refused}, 2)})), verdict::not_checked);
  const auto reasons_after_one = [](const finished_run& one) {
    check::request two_runs = asked_for({one});
    two_runs.runs = 2;
    const auto report = check::joined(two_runs, {one});
    EXPECT_EQ(verdict_of(report), verdict::not_checked);
    return report.unchecked;
  };
  using reasons = std::vector<std::string>;
  EXPECT_EQ(reasons_after_one(run_with({})), reasons{"interrupted after 1 of 2 runs"});
  EXPECT_EQ(reasons_after_one(run_with({refused}, 2)), reasons{"tex is not supported"});
  finished_run large = run_with({});
  large.end = ending::out_of_memory;
  EXPECT_EQ(
      reasons_after_one(large),
      reasons{"run 1 (round-robin) was ended before it took the last of this computer's memory"});
}

/// A check with all that a report may have: three runs, of which one was ended for time, a race, a
/// failure without a place, one that is suppressed, and a suppression that is not used.
class reports : public testing::Test {
 protected:
  const std::vector<finished_run> runs = [] {
    const finding stuck{finding_kind::failure, "max", "livelock: 1 polls", {}, "livelock"};
    std::vector<finished_run> all = {run_with({race_at("dir/a.cu:1", "b.cu:2")}),
                                     run_with({stuck, race_at("c.cu:3", "c.cu:4")}, 6),
                                     run_with({race_at("dir/a.cu:1", "b.cu:2")})};
    all[1].schedule = all[2].schedule = simt::schedule_kind::random;
    all[1].end = ending::killed_by_signal;
    all[2].end = ending::out_of_time;
    all[2].seed = 2;
    return all;
  }();
  const check::request asked = asked_for(runs);
  std::vector<check::suppression> suppressions = {{{"c.cu:3"}, "c.cu:3 # known"}, {{"d:1"}, "d:1"}};
  const check::joined_report report = [this] {
    check::joined_report all = joined(runs);
    check::apply(suppressions, all);
    return all;
  }();
  const check::report_parts parts{asked, runs, report, suppressions};
};

TEST_F(reports, are_like_a_compilers) {
  const std::string again = "again: finesync-check --seeds 1 --schedule ";
  const std::string program = " ./program --size 3\n";
  EXPECT_EQ(
      check::as_text(parts),
      "dir/a.cu:1: error: data-race with b.cu:2 in kernel sum\n    a race\n    in 2 of 3 runs; " +
          again + "round-robin" + program +
          "error: livelock in kernel max\n    livelock: 1 polls\n    in 1 of 3 runs; " + again +
          "random --seed 1" + program +
          "suppressed by 'c.cu:3 # known': c.cu:3: error: data-race with c.cu:4 in kernel sum\n"
          "suppresses nothing: 'd:1'\n" +
          text_of(check::coverage_of({})) +
          "not checked: run 3 (random, seed 2) was ended after 60 s (--time-limit)\n"
          "2 findings and 1 suppressed: 1 kernel in 3 runs (" +
          check::settings_text(asked) + ")\n");
}

TEST_F(reports, say_how_the_runs_were) {
  check::request other = asked;
  EXPECT_EQ(check::settings_text(other),
            "GPU model compact; races looked for; volatile accesses are taken for relaxed atomics, "
            "as PTX says (--volatile plain: for data)");
  other.settings.executor.check = simt::checking::none;
  EXPECT_TRUE(check::settings_text(other).starts_with("GPU model compact; races not looked for;"));
  other.settings.executor.memory = simt::memory_kind::weak;
  other.settings.volatiles = ptx::volatile_access::plain;
  EXPECT_EQ(check::settings_text(other),
            "GPU model compact; weak memory, races not looked for; volatile accesses are taken for "
            "data (--volatile relaxed: for relaxed atomics, as PTX says)");
}

TEST_F(reports, are_whole_in_json) {
  const auto json = nlohmann::json::parse(check::as_json(parts));
  EXPECT_EQ(json["runs"], nlohmann::json::parse(R"([
    {"options": "--schedule round-robin", "end": "exited", "status": 0},
    {"options": "--schedule random --seed 1", "end": "killed by signal", "status": 6},
    {"options": "--schedule random --seed 2", "end": "out of time", "status": 0}])"));
  EXPECT_EQ(json["findings"], nlohmann::json::parse(R"([
    {"rule": "data-race", "kernel": "sum", "places": ["dir/a.cu:1", "b.cu:2"], "text": "a race",
     "runs": [1, 3]},
    {"rule": "livelock", "kernel": "max", "places": [], "text": "livelock: 1 polls", "runs": [2]},
    {"rule": "data-race", "kernel": "sum", "places": ["c.cu:3", "c.cu:4"], "text": "a race",
     "runs": [2], "suppressed_by": "c.cu:3 # known"}])"));
  EXPECT_EQ(json["command"], asked.command);
  EXPECT_EQ(json["settings"], check::settings_text(asked));
  EXPECT_EQ(json["kernels"], report.kernels);
  EXPECT_EQ(json["not_checked"], report.unchecked);
}

TEST_F(reports, are_sarif) {
  const auto sarif = nlohmann::json::parse(check::as_sarif(parts))["runs"][0];
  const auto place = [](const char* file, int line) -> nlohmann::json {
    return {{"physicalLocation",
             {{"artifactLocation", {{"uri", file}}}, {"region", {{"startLine", line}}}}}};
  };
  const auto& results = sarif["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["locations"], nlohmann::json::array({place("dir/a.cu", 1)}));
  EXPECT_EQ(results[0]["relatedLocations"], nlohmann::json::array({place("b.cu", 2)}));
  EXPECT_EQ(results[0]["message"]["text"],
            "a race (in 2 of 3 runs; again: finesync-check --seeds 1 --schedule round-robin "
            "./program --size 3)");
  EXPECT_FALSE(results[0].contains("suppressions"));
  EXPECT_EQ(results[1]["locations"], nlohmann::json::array({place("./program", 1)}));
  EXPECT_EQ(results[2]["suppressions"][0]["justification"], "c.cu:3 # known");
  std::set<std::string> prints;
  for (std::size_t i = 0; i < 3; ++i) {
    prints.insert(results[i]["partialFingerprints"]["finesync/v1"].get<std::string>());
    EXPECT_EQ(results[i]["ruleId"], report.findings[i].what.rule);
    EXPECT_EQ(results[i]["level"], "error");
  }
  EXPECT_EQ(prints.size(), 3u);
  const auto& rules = sarif["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0]["id"], "data-race");
  EXPECT_EQ(rules[1]["id"], "livelock");
  for (const auto& each : rules) EXPECT_NE(each["help"]["text"], "");
  const auto& invocation = sarif["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], report.unchecked[0]);
  const std::vector<finished_run> one = {run_with({})};
  const auto clean = asked_for(one);
  const auto whole = nlohmann::json::parse(check::as_sarif({clean, one, joined(one), {}}));
  EXPECT_EQ(whole["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

TEST(report, names_paths_in_sarif_as_references) {
  const std::vector<finished_run> runs = {
      run_with({race_at("a dir/a%41\xc3\xb6#.cu:1", "b.cu:2")})};
  const check::request asked = asked_for(runs);
  const auto sarif = nlohmann::json::parse(check::as_sarif({asked, runs, joined(runs), {}}));
  const auto& where = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(where["artifactLocation"]["uri"], "a%20dir/a%2541%C3%B6%23.cu");
}

TEST(report, says_how_to_see_a_run_again_in_words_of_a_shell) {
  const std::vector<finished_run> runs = {run_with({})};
  check::request asked = asked_for(runs);
  asked.command = {"sh", "-c", "echo 'it' $A", ""};
  asked.settings.executor.gpu = simt::find_gpu_model("h200");
  asked.settings.zeroed_memory = true;
  EXPECT_EQ(check::again_text(asked, runs[0]),
            "finesync-check --seeds 1 --schedule round-robin --gpu h200 --zeroed-memory sh -c "
            R"('echo '\''it'\'' $A' '')");
}

TEST(report, keeps_going_with_bytes_that_are_not_text) {
  const std::vector<finished_run> runs = {run_with({race_at("a.cu:1", "b.cu:2")})};
  check::request asked = asked_for(runs);
  asked.command = {"./a\xff", "\xfe"};
  const check::report_parts parts{asked, runs, joined(runs), {}};
  EXPECT_NO_THROW(check::as_json(parts));
  EXPECT_NO_THROW(check::as_sarif(parts));
}

}  // namespace

}  // namespace check_test
