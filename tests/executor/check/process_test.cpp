// Child processes: how they end, what they inherit, and which runs of them there are.
#include <check/process.hpp>
#include <check/runs.hpp>
#include <check/worker.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace check_test {

namespace {

/// A pipe of this test, removed at the end.
class scratch_pipe : public check::named_pipe {
 public:
  scratch_pipe() : named_pipe(path()) {}
  ~scratch_pipe() { std::filesystem::remove(path()); }
  static std::string path() {
    return std::filesystem::temp_directory_path() / (std::to_string(getpid()) + "pipe");
  }
};

check::process_end run_shell(const std::string& script, unsigned seconds = 60) {
  scratch_pipe unused;
  return check::run_process({"sh", "-c", script}, {{"ADDED", "yes"}}, true, {.seconds = seconds},
                            unused);
}

TEST(child_process, ends_with_its_status_or_signal) {
  const check::process_end exits = run_shell("exit 3");
  EXPECT_FALSE(exits.is_signal);
  EXPECT_EQ(exits.code, 3);
  const check::process_end killed = run_shell("kill -9 $$");
  EXPECT_TRUE(killed.is_signal);
  EXPECT_EQ(killed.code, 9);
  EXPECT_FALSE(killed.out_of_time);
}

TEST(child_process, is_killed_after_its_time) {
  const check::process_end end = run_shell("exec sleep 1.5", 1);
  EXPECT_TRUE(end.out_of_time);
  EXPECT_TRUE(end.is_signal);
}

TEST(child_process, is_killed_before_it_takes_the_last_memory_if_it_takes_much) {
  constexpr check::limits none_is_free = {.seconds = 40, .left_free = SIZE_MAX};
  scratch_pipe unused;
  const std::string large = "all = b'x' * (100 << 20); import time; time.sleep(50)";
  const auto end = check::run_process({"python3", "-c", large}, {}, true, none_is_free, unused);
  EXPECT_TRUE(end.out_of_memory);
  EXPECT_FALSE(end.out_of_time);
  EXPECT_EQ(check::run_process({"sleep", ".5"}, {}, true, none_is_free, unused).code, 0);
}

TEST(child_process, has_the_added_variables_and_an_empty_input) {
  setenv("ADDED", "no", 1);
  EXPECT_EQ(run_shell("[ \"$ADDED\" = yes ] && [ -n \"$PATH\" ]").code, 0);
  EXPECT_EQ(run_shell("read line").code, 1);
  EXPECT_EQ(run_shell("[ $(tr '\\0' '\\n' < /proc/$$/environ | grep -c ^ADDED=) = 1 ]").code, 0);
}

TEST(child_process, that_is_no_program_is_an_error) {
  scratch_pipe unused;
  EXPECT_THROW(check::run_process({"/no/such/program"}, {}, true, {}, unused), std::runtime_error);
}

TEST(child_process, is_read_while_it_runs_and_so_is_what_it_leaves_behind) {
  scratch_pipe report;
  const std::string script = "(sleep .2; echo late >" + scratch_pipe::path() +
                             ") & head -c 200000 /dev/zero >" + scratch_pipe::path();
  EXPECT_EQ(check::run_process({"sh", "-c", script}, {}, true, {.seconds = 20}, report).code, 0);
  EXPECT_EQ(report.text().size(), 200'005u);
  EXPECT_TRUE(report.text().ends_with("late\n"));
}

TEST(child_process, takes_all_that_it_has_started_with_it_when_its_time_is_up) {
  scratch_pipe numbers;
  const std::string script =
      "setsid sh -c 'echo $$ >" + scratch_pipe::path() + "; exec sleep 50' & exit 0";
  EXPECT_TRUE(
      check::run_process({"sh", "-c", script}, {}, true, {.seconds = 1}, numbers).out_of_time);
  EXPECT_EQ(kill(std::stoi(numbers.text()), 0), -1);
}

/// Waits for it.
std::string result_of(check::worker& one) {
  for (;;) {
    pollfd waited{.fd = one.descriptor(), .events = POLLIN, .revents = 0};
    poll(&waited, 1, -1);
    if (std::optional<std::string> result = one.take()) return *result;
  }
}

std::string problem_of(check::worker& one) {
  try {
    return "none: " + result_of(one);
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
}

TEST(worker, tells_what_its_work_gives_or_throws_or_that_it_was_killed) {
  check::worker large([](const auto&) { return std::string(300'000, 'x'); });
  EXPECT_EQ(result_of(large), std::string(300'000, 'x'));
  check::worker throws(
      [](const auto&) -> std::string { throw std::runtime_error("no such thing"); });
  EXPECT_EQ(problem_of(throws), "no such thing");
  check::worker killed([](const auto&) -> std::string {
    raise(SIGKILL);
    return "R";
  });
  EXPECT_EQ(problem_of(killed), "the process of a run was ended by signal 9");
}

TEST(worker, tells_parts_before_it_has_ended) {
  check::worker one([](const auto& tell) -> std::string {
    tell("first ");
    for (;;) pause();
  });
  while (one.so_far().empty()) EXPECT_FALSE(one.take());
  EXPECT_EQ(one.so_far(), "first ");
}

TEST(worker, ends_with_its_owner) {
  const auto began = std::chrono::steady_clock::now();
  {
    const check::worker endless([](const auto&) -> std::string {
      for (;;) pause();
    });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST(planned_runs, are_round_robin_once_and_then_random_seeds) {
  check::request asked;
  asked.first_seed = 5;
  EXPECT_EQ(planned(asked, 1).schedule, simt::schedule_kind::round_robin);
  EXPECT_EQ(planned(asked, 1).seed, 5u);
  EXPECT_EQ(planned(asked, 2).schedule, simt::schedule_kind::random);
  EXPECT_EQ(planned(asked, 2).seed, 5u);
  EXPECT_EQ(planned(asked, 4).seed, 7u);
  asked.all_schedules = false;
  asked.settings.executor.schedule = simt::schedule_kind::random;
  EXPECT_EQ(planned(asked, 1).schedule, simt::schedule_kind::random);
  EXPECT_EQ(planned(asked, 1).seed, 5u);
  EXPECT_EQ(planned(asked, 3).seed, 7u);
}

}  // namespace

}  // namespace check_test
