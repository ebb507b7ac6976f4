// finesync-check on a program: exit status, report, and what is left of a check that is not whole.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace {

struct outcome {
  int status = 0;
  std::string output;  ///< standard output and error
};

outcome ran(const std::string& command) {
  outcome ended;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part;
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), pipe))
    ended.output.append(part.data(), got);
  ended.status = WEXITSTATUS(pclose(pipe));
  return ended;
}

/// Runs the tool with this after its name. \param before "NAME=value" of a variable
outcome check(const std::string& arguments, const std::string& before = "") {
  return ran(before + " " FINESYNC_CHECK " " + arguments);
}

std::string program(const std::string& fault) {
  return PROGRAM_TO_CHECK " " + fault;
}

std::size_t count_of(const std::string& what, const std::string& in) {
  std::size_t count = 0;
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++count;
  return count;
}

#define EXPECT_SAYS(outcome, text) \
  EXPECT_EQ(count_of(text, (outcome).output), 1u) << (outcome).output

/// A file of this test, removed at the end.
class scratch_file {
 public:
  explicit scratch_file(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  std::string path() const { return path_.string(); }
  std::string text() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

TEST(check, finds_nothing_in_a_right_program_and_shows_its_output_once) {
  const outcome ended = check("--seeds 3 " + program(""));
  EXPECT_EQ(ended.status, 0);
  EXPECT_SAYS(ended, "running with ''");
  EXPECT_SAYS(ended, "0 findings: 1 kernel in 3 runs");
}

TEST(check, joins_a_race_of_all_runs_and_says_how_to_see_it_again) {
  const outcome ended = check("--seeds 4 " + program("race"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_SAYS(ended,
              "/home/me/kernel.cu:7: error: data-race with /home/me/kernel.cu:7 in kernel races");
  EXPECT_SAYS(ended, "in 4 of 4 runs; again: finesync-check --seeds 1 --schedule round-robin");
  EXPECT_SAYS(ended, "1 finding: 2 kernels in 4 runs");
}

TEST(check, says_the_same_of_runs_one_by_one_and_side_by_side) {
  for (const char* const fault : {"race", "refusal", ""}) {
    const std::string what = "--seeds 7 " + program(fault);
    const outcome one_by_one = check("--jobs 1 " + what);
    const outcome side_by_side = check("--jobs 3 " + what);
    EXPECT_EQ(side_by_side.status, one_by_one.status);
    EXPECT_EQ(side_by_side.output, one_by_one.output);
  }
}

TEST(check, stops_at_the_first_finding_that_is_not_suppressed) {
  const outcome stopped = check("--stop-at-first --seeds 5 " + program("'two files'"));
  EXPECT_EQ(stopped.status, 1);
  EXPECT_SAYS(stopped, "in 1 of 1 run");
  EXPECT_SAYS(stopped, "not checked: what comes after the first finding");
  EXPECT_SAYS(stopped, "1 finding: 2 kernels in 1 run");
  const auto report = [](const outcome& of) { return of.output.substr(of.output.find("/home")); };
  EXPECT_EQ(report(check("--jobs 3 --stop-at-first --seeds 5 " + program("'two files'"))),
            report(stopped));
  const scratch_file known("known");
  std::ofstream(known.path()) << "me/kernel.cu:7\n";
  const outcome second = check("--stop-at-first --seeds 5 --suppressions " + known.path() + " " +
                               program("'two files'"));
  EXPECT_SAYS(second, "/home/you/kernel.cu:7: error");
  EXPECT_SAYS(second, "1 finding and 1 suppressed");
}

TEST(check, shows_findings_as_they_come_to_a_terminal_before_the_same_report) {
  const std::string what = "--seeds 3 --jobs 1 " + program("race");
  const std::string report = check(what).output;
  outcome watched =
      ran("python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' " FINESYNC_CHECK " " + what);
  std::erase(watched.output, '\r');
  EXPECT_SAYS(watched, "finesync-check: found in run 1: /home/me/kernel.cu:7: error: data-race");
  EXPECT_SAYS(watched, "finesync-check: 2 of 3 runs, 1 finding");
  EXPECT_TRUE(watched.output.ends_with(report.substr(report.find('\n') + 1))) << watched.output;
  EXPECT_EQ(count_of("finesync-check: found", report), 0u);
}

TEST(check, looks_for_races_in_a_sample_and_says_so) {
  EXPECT_EQ(check("--seeds 1 " + program("middle")).status, 1);
  const outcome outer = check("--seeds 1 --blocks 4 " + program("middle"));
  EXPECT_EQ(outer.status, 2);
  EXPECT_SAYS(outer, "not checked: all but 4 of 8 blocks of kernel middle (--blocks)");
  const outcome all = check("--seeds 1 --blocks 8 " + program("middle"));
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(count_of("not checked", all.output), 0u);
  const outcome ordered = check("--seeds 3 --blocks 2 " + program("chain"));
  EXPECT_SAYS(ordered, "0 findings: 2 kernels in 3 runs");
}

TEST(check, names_the_test_that_pytest_runs) {
  const outcome ended =
      check("--seeds 1 " + program("race"), "PYTEST_CURRENT_TEST='a.py::test_b[x (1)] (call)'");
  EXPECT_SAYS(ended, "in 1 of 1 run, first in test a.py::test_b[x (1)]; again:");
}

TEST(check, says_what_the_host_does_when_its_time_is_up) {
  const outcome asks = check("--seeds 1 --time-limit 1 " + program("asks"));
  EXPECT_EQ(asks.status, 2);
  EXPECT_SAYS(asks, "was ended after 1 s (--time-limit): the host was in cudaStreamQuery(), ");
}

TEST(check, is_not_whole_if_the_process_of_a_run_is_killed) {
  const outcome ended = check("--jobs 2 --seeds 4 sh -c 'kill -9 $PPID'");
  EXPECT_EQ(ended.status, 2);
  EXPECT_SAYS(ended, "finesync-check: the process of a run was ended by signal 9");
}

TEST(check, tells_files_of_one_name_apart) {
  const outcome ended = check("--seeds 1 --root / " + program("'two files'"));
  EXPECT_SAYS(ended, "\nhome/me/kernel.cu:7: error: data-race");
  EXPECT_SAYS(ended, "\nhome/you/kernel.cu:7: error: data-race");
  EXPECT_SAYS(ended, "2 findings");
}

TEST(check, tells_a_launch_that_cannot_end) {
  const outcome ended = check("--seeds 2 " + program("livelock"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_SAYS(ended, "/home/me/kernel.cu:20: error: livelock in kernel waits");
}

TEST(check, finds_what_streams_do_not_order) {
  EXPECT_EQ(check("--seeds 1 " + program("event")).status, 0);
  const outcome ended = check("--seeds 1 " + program("streams"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_SAYS(
      ended,
      "by kernel races (/home/me/kernel.cu:7) is not ordered after the write by cudaMemsetAsync");
}

TEST(check, finds_what_a_dependent_launch_reads_too_early) {
  EXPECT_EQ(check("--seeds 1 " + program("late")).status, 0);
  const outcome ended = check("--seeds 1 " + program("early"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_SAYS(ended,
              "/home/me/kernel.cu:30: error: data-race with /home/me/kernel.cu:40 in kernel early");
  EXPECT_SAYS(ended, "missing: griddepcontrol.wait");
}

TEST(check, tells_that_the_result_depends_on_the_schedule) {
  const outcome ended = check("--seeds 12 " + program("order"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_SAYS(ended, "error: schedule-dependent-result");
  EXPECT_SAYS(ended, "exits with 3 in run");
}

TEST(check, repeats_a_run_by_its_options) {
  const outcome all = check("--seeds 12 " + program("order"));
  const std::string again = "again: finesync-check ";
  const auto at = all.output.find(again);
  ASSERT_NE(at, std::string::npos);
  const auto end = all.output.find('\n', at);
  const outcome one = check(all.output.substr(at + again.size(), end - at - again.size()));
  EXPECT_EQ(one.status, 1);
  EXPECT_SAYS(one, "error: failing-program");
}

TEST(check, tells_a_program_that_fails_or_crashes_in_every_run) {
  const outcome failing = check("--seeds 2 " + program("failure"));
  EXPECT_EQ(failing.status, 1);
  EXPECT_SAYS(failing, "the program exits with 4");
  const outcome crashing = check("--seeds 2 " + program("crash"));
  EXPECT_EQ(crashing.status, 1);
  EXPECT_SAYS(crashing, "the program was ended by signal 11");
}

TEST(check, names_what_a_program_uses_in_place_of_the_runtime) {
  const scratch_file driver("driver");  // as a program that is linked with the library
  std::ofstream(driver.path()) << "#!/bin/sh\n# libcuda.so.1\nexit 127\n";
  std::filesystem::permissions(driver.path(), std::filesystem::perms::owner_all);
  const outcome ended = check("--seeds 1 " + driver.path());
  EXPECT_EQ(ended.status, 2);
  EXPECT_SAYS(ended, "it uses CUDA's driver API, which is not supported");
  // One that has launched a kernel, and fails without a fault.
  std::ofstream(driver.path()) << "#!/bin/sh\n# libcublas.so.13\n" << program("failure") << "\n";
  const outcome failing = check("--seeds 1 " + driver.path());
  EXPECT_EQ(failing.status, 2);
  EXPECT_SAYS(failing, "fails, and no fault was seen before; it uses cuBLAS, which is not");
}

TEST(check, names_the_runtime_that_a_program_has_loaded_instead) {
  const std::string folder = std::filesystem::path(OTHER_RUNTIME).parent_path().string();
  const std::string cleared = "env -i LD_LIBRARY_PATH=" + folder + " " PROGRAM_BY_ENVIRONMENT;
  struct {
    std::string before, command, said;
  } const ways[] = {{"", PROGRAM_BY_RPATH, "by an RPATH"},
                    {"", cleared, "without the LD_LIBRARY_PATH that finesync-check sets"},
                    {"", "sh -c '" + cleared + "; true'", "without the LD_LIBRARY_PATH"},
                    {"LD_PRELOAD=" OTHER_RUNTIME, PROGRAM_BY_ENVIRONMENT, "LD_PRELOAD names it"}};
  for (const auto& [before, command, said] : ways) {
    const outcome ended = check("--seeds 1 " + command, before);
    EXPECT_EQ(ended.status, 2);
    EXPECT_SAYS(ended,
                "not checked: CUDA's own runtime was loaded from " + folder + "/libcudart.so.13");
    EXPECT_SAYS(ended, said);
  }
  EXPECT_SAYS(check("--seeds 1 " PROGRAM_BY_ENVIRONMENT), "has not launched a kernel");
}

TEST(check, is_of_programs_that_clear_their_environment) {
  const outcome ended = check("--seeds 1 " + program("'clears its environment'"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_SAYS(ended, "kernel.cu:7: error: data-race");
}

TEST(check, is_not_whole_without_a_launch_or_after_a_refusal_or_out_of_time) {
  const outcome idle = check("--seeds 2 " + program("nothing"));
  EXPECT_EQ(idle.status, 2);
  EXPECT_SAYS(idle, "has not launched a kernel");
  const outcome refused = check("--seeds 2 " + program("refusal"));
  EXPECT_EQ(refused.status, 2);
  EXPECT_SAYS(refused, "not checked: cudaCreateTextureObject() is not supported");
  EXPECT_SAYS(refused, "1 kernel in 1 run ");
  const outcome slow = check("--seeds 1 --time-limit 1 " + program("slow"));
  EXPECT_EQ(slow.status, 2);
  EXPECT_SAYS(slow, "run 1 (round-robin) was ended after 1 s (--time-limit)");
}

TEST(check, is_of_all_processes_of_a_program) {
  const outcome right = check("--seeds 2 " + program("child"));
  EXPECT_EQ(right.status, 0) << right.output;
  const outcome late = check("--seeds 2 " + program("'late child'"));
  EXPECT_EQ(late.status, 1);
  EXPECT_SAYS(late, "in 2 of 2 runs");
  const outcome twice = check("--seeds 1 sh -c '" + program("race; ") + program("race'"));
  EXPECT_EQ(twice.status, 1);
  EXPECT_SAYS(twice, "in 1 of 1 run, first in process " PROGRAM_TO_CHECK " race; again");
}

TEST(check, is_not_whole_if_one_of_them_is_killed_or_may_not_use_cuda) {
  const outcome killed = check("--seeds 1 " + program("'killed child'"));
  EXPECT_EQ(killed.status, 2);
  EXPECT_SAYS(killed,
              "the report of run 1 (round-robin) is not whole: a process that used CUDA was");
  const outcome forked = check("--seeds 1 " + program("'child after use'"));
  EXPECT_EQ(forked.status, 2);
  EXPECT_SAYS(forked, "a process was forked after it had used CUDA");
}

TEST(check, loses_nothing_where_no_file_can_be_written) {
  FILE* const pipe = popen("sh -c \"ulimit -f 0; trap '' XFSZ; " FINESYNC_CHECK
                           " --seeds 1 " PROGRAM_TO_CHECK " race 2>&1\" | grep -c '^1 finding'",
                           "r");
  EXPECT_EQ(std::fgetc(pipe), '1');
  pclose(pipe);
}

TEST(check, lets_a_running_program_open_the_runtime) {
  const outcome opened = check(
      "--seeds 1 python3 -c 'import ctypes; ctypes.CDLL(\"libcudart.so.13\"); print(\"opened\")'");
  EXPECT_SAYS(opened, "opened\n");
}

TEST(check, that_is_killed_leaves_no_process) {
  const std::string mark = "slow " + std::to_string(getpid());
  const std::string killed = "sh -c \"" FINESYNC_CHECK " --seeds 1 " PROGRAM_TO_CHECK " " + mark +
                             " & sleep .5; kill -9 \\$!; sleep 2\" >/dev/null 2>&1";
  EXPECT_EQ(std::system(killed.c_str()), 0);
  EXPECT_NE(std::system(("pgrep -f '[t]o_check " + mark + "'").c_str()), 0);
}

TEST(check, is_interrupted_with_a_report) {
  FILE* const pipe = popen("timeout -s INT 1 " FINESYNC_CHECK " --seeds 3 " PROGRAM_TO_CHECK
                           " slow 2>&1 | grep -c 'interrupted after 0 of 3 runs'",
                           "r");
  EXPECT_EQ(std::fgetc(pipe), '1');
  pclose(pipe);
}

TEST(check, takes_every_value_of_its_options_and_says_so) {
  const std::pair<const char*, const char*> options[] = {
      {"--memory weak", "weak memory, races not looked for"},
      {"--memory strong --check none", "GPU model compact"},
      {"--gpu h200", "GPU model h200"},
      {"--volatile plain", "are taken for data"},
      {"--schedule random --seed 7", "1 kernel in 1 run"},
      {"--zeroed-memory --check races", "races looked for"}};
  for (const auto& [option, said] : options) {
    const outcome ended = check(std::string("--seeds 1 ") + option + " " + program(""));
    EXPECT_EQ(ended.status, 0) << option;
    EXPECT_SAYS(ended, said);
  }
}

TEST(check, suppresses_what_a_file_says_and_lists_it) {
  const scratch_file file("suppressions");
  std::ofstream(file.path()) << "kernel.cu:7 # both store the same\nother.cu:3\n";
  const outcome ended = check("--seeds 2 --suppressions " + file.path() + " " + program("race"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_SAYS(ended,
              "suppressed by 'kernel.cu:7 # both store the same': /home/me/kernel.cu:7: error:");
  EXPECT_SAYS(ended, "suppresses nothing: 'other.cu:3'");
  EXPECT_SAYS(ended, "0 findings and 1 suppressed");
}

TEST(check, writes_json_and_sarif) {
  const scratch_file json("report.json");
  const scratch_file sarif("report.sarif");
  const outcome ended =
      check("--seeds 2 --json " + json.path() + " --sarif " + sarif.path() + " " + program("race"));
  EXPECT_EQ(ended.status, 1);
  const auto report = nlohmann::json::parse(json.text());
  EXPECT_EQ(report["findings"][0]["places"][0], "/home/me/kernel.cu:7");
  EXPECT_EQ(report["runs"].size(), 2u);
  const auto code_host = nlohmann::json::parse(sarif.text());
  const auto& place = code_host["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "home/me/kernel.cu");
  EXPECT_EQ(place["region"]["startLine"], 7);
}

TEST(check, says_in_one_line_what_is_wrong_with_its_command_line) {
  const std::string wrong[] = {"",
                               "--seeds 0 x",
                               "--seed -1 x",
                               "--sideways x",
                               "/no/such/program",
                               "--memory weak --check races x",
                               "--suppressions /no/file x"};
  for (const std::string& each : wrong) {
    const outcome ended = check(each);
    EXPECT_EQ(ended.status, 2) << each;
    EXPECT_EQ(count_of("\n", ended.output), 1u) << each << ": " << ended.output;
  }
}

TEST(check, teaches_by_its_help) {
  const outcome help = check("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_SAYS(help, "usage: finesync-check [options] PROGRAM [ARGUMENTS...]");
  EXPECT_SAYS(help, "finesync-check --nvcc-flags");
  EXPECT_SAYS(check("--nvcc-flags"), "-cudart shared");
}

}  // namespace
