#include <bench/experiment.hpp>

#include <gtest/gtest.h>

namespace {

using namespace finesync::bench;

TEST(outcome, survives_its_way_through_an_error_message) {
  for (const status what : {status::ok, status::skipped, status::wrong, status::timeout,
                            status::livelock, status::deadlock, status::error}) {
    const outcome back = from_message(to_message({what, "so: it is"}));
    EXPECT_EQ(back.what, what);
    EXPECT_EQ(back.reason, "so: it is");
  }
}

TEST(outcome, foreign_messages_are_errors) {
  const outcome foreign = from_message("out of cheese: redo");
  EXPECT_EQ(foreign.what, status::error);
  EXPECT_EQ(foreign.reason, "out of cheese: redo");
}

TEST(outcome, statuses_have_distinct_names) {
  EXPECT_EQ(to_string(status::ok), "ok");
  EXPECT_EQ(to_string(status::skipped), "skipped");
  EXPECT_EQ(to_string(status::wrong), "wrong");
  EXPECT_EQ(to_string(status::timeout), "timeout");
  EXPECT_EQ(to_string(status::livelock), "livelock");
  EXPECT_EQ(to_string(status::deadlock), "deadlock");
  EXPECT_EQ(to_string(status::error), "error");
}

}  // namespace
