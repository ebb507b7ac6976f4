// Child processes: how they end, what they inherit, and which runs of them there are.
#include <check/process.hpp>
#include <check/runs.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace check_test {

namespace {

check::process_end run_shell(const std::string& script, unsigned seconds = 60) {
  return check::run_process({"sh", "-c", script}, {{"ADDED", "yes"}}, true, seconds);
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

TEST(child_process, has_the_added_variables_and_an_empty_input) {
  setenv("ADDED", "no", 1);
  EXPECT_EQ(run_shell("[ \"$ADDED\" = yes ] && [ -n \"$PATH\" ]").code, 0);
  EXPECT_EQ(run_shell("read line").code, 1);
  EXPECT_EQ(run_shell("[ $(tr '\\0' '\\n' < /proc/$$/environ | grep -c ^ADDED=) = 1 ]").code, 0);
}

TEST(child_process, that_is_no_program_is_an_error) {
  EXPECT_THROW(check::run_process({"/no/such/program"}, {}, true, 1), std::runtime_error);
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
