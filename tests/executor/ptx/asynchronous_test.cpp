// mbarriers and small asynchronous copies, with and without the waits that they need.
#include <tests/executor/ptx/copies.hpp>

namespace ptx_test {

namespace {

/// Each thread has its word of `in` at %d1.
outcome run(const std::string& body) {
  return run_copies("cvt.u64.u32 %d4, %r2; add.s64 %d1, %d1, %d4;" + body);
}

}  // namespace

TEST(ptx_asynchronous, an_mbarrier_orders_those_who_arrive_and_wait) {
  const std::string body = R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 64;
$begun:
	bar.sync 0;
	.loc 1 20 1
	st.shared.u32 [%r4], %r1;
	mbarrier.arrive.shared::cta.b64 %d4, [bar];
$wait:
	mbarrier.try_wait.shared::cta.b64 %p2, [bar], %d4;
	@!%p2 bra $wait;
)";
  EXPECT_EQ(run(body), outcome("", reversed_numbers()));
  const std::string no_wait = run(with(body, "@!%p2 bra $wait;", "")).first;
  EXPECT_TRUE(
      mentions(no_wait, {"data race", "(/home/me/copies.cu:30)", "(/home/me/copies.cu:20)"}))
      << no_wait;
  const std::string no_barrier = run(with(body, "bar.sync 0;", "")).first;
  EXPECT_TRUE(mentions(no_barrier, {"race"})) << no_barrier;
  std::string relaxed = body;
  relaxed.replace(relaxed.find("arrive.shared"), 6, "arrive.relaxed.cta");
  EXPECT_TRUE(mentions(run(relaxed).first,
                       {"data race", "(/home/me/copies.cu:30)", "(/home/me/copies.cu:20)"}));
  std::string relaxed_wait = body;
  relaxed_wait.replace(relaxed_wait.find("try_wait"), 8, "try_wait.relaxed.cta");
  EXPECT_TRUE(mentions(run(relaxed_wait).first, {"data race", "acquire"}));
}

TEST(ptx_asynchronous, phases_of_an_mbarrier_follow_each_other) {
  const std::string body = R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 65;
$begun:
	bar.sync 0;
	@%p1 mbarrier.arrive_drop.shared::cta.b64 _, [bar];
	mov.u32 %r7, 0;
$again:
	mbarrier.arrive.shared::cta.b64 %d4, [bar], 1;
$wait:
	mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], %r7;
	@!%p2 bra $wait;
	add.s32 %r7, %r7, 1;
	setp.lt.s32 %p3, %r7, 4;
	@%p3 bra $again;
	mbarrier.pending_count.b64 %r8, %d4;
	st.shared.u32 [%r4], %r7;
	bar.sync 0;
)";
  EXPECT_EQ(run(body), outcome("", numbers(64, 4)));
  const std::string more = run(R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 2;
	.loc 1 12 1
	mbarrier.arrive.shared::cta.b64 %d4, [bar], 3;
$begun:
	bar.sync 0;)")
                               .first;
  EXPECT_EQ(more,
            "there are more arrivals than the mbarrier expects: mbarrier.arrive.shared::cta.b64 "
            "(/home/me/copies.cu:12), by block 0, thread 0");
}

TEST(ptx_asynchronous, a_small_copy_is_waited_for) {
  const std::string body = R"(
	.loc 1 10 1
	cp.async.ca.shared.global [%r4], [%d1], 4;
	.loc 1 11 1
	cp.async.wait_all;
	bar.sync 0;
)";
  EXPECT_EQ(run(body), outcome("", reversed_numbers()));
  const std::string no_wait = run(with(body, "cp.async.wait_all;", "")).first;
  EXPECT_TRUE(mentions(no_wait,
                       {"asynchronous copy", "(/home/me/copies.cu:10)", "(/home/me/copies.cu:30)"}))
      << no_wait;
  const std::string no_barrier = run(with(body, "bar.sync 0;", "")).first;
  EXPECT_TRUE(mentions(no_barrier, {"race", "(/home/me/copies.cu:30)"})) << no_barrier;
}

TEST(ptx_asynchronous, groups_of_copies_are_waited_for_in_order) {
  const std::string body = R"(
	cp.async.ca.shared.global [%r4], [%d1], 4;
	cp.async.commit_group;
	cp.async.commit_group;
	cp.async.wait_group 1;
	bar.sync 0;
)";
  EXPECT_EQ(run(body), outcome("", reversed_numbers()));
  std::string too_few = body;
  too_few.replace(too_few.find("wait_group 1"), 12, "wait_group 2");
  EXPECT_TRUE(mentions(run(too_few).first, {"asynchronous copy"}));
}

TEST(ptx_asynchronous, a_short_copy_is_filled_with_zeros) {
  EXPECT_EQ(run("cp.async.ca.shared.global [%r4], [%d1], 4, 0; cp.async.wait_all; bar.sync 0;"),
            outcome("", numbers(64, 0)));
}

TEST(ptx_asynchronous, an_arrival_follows_the_copies_of_its_thread) {
  const std::string body = R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 64;
$begun:
	bar.sync 0;
	cp.async.ca.shared.global [%r4], [%d1], 4;
	cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];
$wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
	@!%p2 bra $wait;
)";
  EXPECT_EQ(run(body), outcome("", reversed_numbers()));
  EXPECT_TRUE(mentions(run(with(body, "@!%p2 bra $wait;", "")).first, {"race"}));
  // Without .noinc it is none of those that the mbarrier expects.
  const std::string adds_one =
      with(body, ".noinc.shared::cta.b64 [bar];", R"(.shared::cta.b64 [bar];
	mbarrier.arrive.shared::cta.b64 _, [bar];)");
  EXPECT_EQ(run(adds_one), outcome("", reversed_numbers()));
}

}  // namespace ptx_test
