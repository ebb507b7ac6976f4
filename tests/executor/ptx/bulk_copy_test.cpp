// cp.async.bulk: a copy is complete for those who have waited for it, and only then.
#include <tests/executor/ptx/copies.hpp>

namespace ptx_test {

namespace {

/// On 4 schedules: some of the faults below show only if a copy is late, or early.
std::vector<outcome> run_on_schedules(const std::string& body,
                                      simt::checking check = simt::checking::races,
                                      std::uint32_t blocks = 1) {
  simt::settings in_turn;
  in_turn.check = check;
  std::vector<outcome> all{run_copies(body, in_turn, blocks)};
  for (unsigned seed = 1; seed <= 3; ++seed) {
    simt::settings how = simt::random_schedule(seed);
    how.check = check;
    all.push_back(run_copies(body, how, blocks));
  }
  return all;
}

void expect_result(const std::string& body, const numbers& right, std::uint32_t blocks = 1) {
  for (const outcome& each : run_on_schedules(body, simt::checking::races, blocks))
    EXPECT_EQ(each, outcome("", right));
}

/// Each schedule reports a race, one of them with these words.
void expect_race(const std::string& body, std::initializer_list<const char*> words,
                 std::uint32_t blocks = 1) {
  bool is_reported = false;
  std::string all;
  for (const auto& [report, out] : run_on_schedules(body, simt::checking::races, blocks)) {
    EXPECT_TRUE(mentions(report, {"data race"})) << report;
    is_reported |= mentions(report, words);
    all += report + '\n';
  }
  EXPECT_TRUE(is_reported) << all;
}

const std::string load = R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 1;
	mbarrier.init.shared::cta.b64 [bar+8], 1;
$begun:
	bar.sync 0;
	@!%p1 bra $wait;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
	.loc 1 18 1
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1], 256, [bar];
$wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
	@!%p2 bra $wait;
)";

}  // namespace

TEST(ptx_bulk_copy, completes_its_bytes_at_an_mbarrier) {
  expect_result(load, reversed_numbers());
  expect_race(with(load, "@!%p2 bra $wait;", ""),
              {"(/home/me/copies.cu:18)", "the plain load of 4 bytes by block 0, thread",
               "(/home/me/copies.cu:30)",
               "the copy that was begun at /home/me/copies.cu:18 is not complete",
               "missing: a wait at its mbarrier, before"});
  // The phase before the first counts as complete.
  expect_race(with(load, "[bar], 0;", "[bar], 1;"), {"a wait at its mbarrier"});
  expect_race(with(load, "arrive.expect_tx.shared::cta.b64 _, [bar], 256",
                   "arrive.shared::cta.b64 _, [bar]"),
              {"a wait at its mbarrier"});
  const std::string fewer = run_copies(with(load, "_, [bar], 256", "_, [bar], 272")).first;
  EXPECT_TRUE(mentions(fewer, {"livelock", "shared memory +0x100"})) << fewer;
}

TEST(ptx_bulk_copy, is_not_complete_for_its_own_thread_either) {
  const std::string alone = with(with(load, "@!%p1 bra $wait;", "@!%p1 ret;"), "$wait:", R"(
	.loc 1 20 1
	ld.shared.u32 %r8, [%r4];
$wait:)");
  expect_race(alone, {"the plain load of 4 bytes by block 0, thread 0 (/home/me/copies.cu:20)",
                      "the copy that was begun at /home/me/copies.cu:18 is not complete"});
}

TEST(ptx_bulk_copy, is_complete_at_its_own_mbarrier_only) {
  const std::string two = with(load, "[tile], [%d1], 256, [bar];", R"([tile], [%d1], 128, [bar];
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar+8], 128;
	add.s64 %d4, %d1, 128;
	.loc 1 19 1
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+128], [%d4], 128, [bar+8];
)");
  const std::string both = with(with(two, "_, [bar], 256", "_, [bar], 128"), "@!%p2 bra $wait;",
                                R"(@!%p2 bra $wait;
$other:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar+8], 0;
	@!%p2 bra $other;
)");
  expect_result(both, reversed_numbers());
  expect_race(with(both, "@!%p2 bra $other;", ""),
              {"(/home/me/copies.cu:19)", "a wait at its mbarrier"});
}

// Without a check for races the values show it.
TEST(ptx_bulk_copy, may_be_late) {
  std::string early = with(load, "bar.sync 0;", R"(
	st.shared.u32 [%r4], 1000;
	bar.sync 0;
)");
  early = with(early, "$wait:", R"(
	ld.shared.u32 %r8, [%r3+252];
	st.global.u32 [%d3], %r8;
$wait:)") +
          "\tret;";
  bool is_late = false;
  for (const auto& [report, out] : run_on_schedules(early, simt::checking::none)) {
    EXPECT_EQ(report, "");
    EXPECT_TRUE(out[0] == 1000 || out[0] == 63) << out[0];
    is_late |= out[0] == 1000;
  }
  EXPECT_TRUE(is_late);
}

TEST(ptx_bulk_copy, must_not_end_after_its_block) {
  const std::string alone = with(with(load, "$begun:", "$begun: @!%p1 ret;"), "bar.sync 0;", "");
  bool is_reported = false;
  for (const auto& [report, out] : run_on_schedules(with(alone, "$wait:", "ret; $wait:"))) {
    is_reported |=
        report ==
        "bad address: the asynchronous copy of block 0, thread 0 (/home/me/copies.cu:18) is not "
        "complete "
        "when the block ends that has shared memory +0x100; missing: a wait at its mbarrier, "
        "before that";
  }
  EXPECT_TRUE(is_reported);
}

namespace {

const std::string store = R"(
	.loc 1 10 1
	st.shared.u32 [%r4], %r1;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@!%p1 bra $copied;
	.loc 1 12 1
	cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 256;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
$copied:
	bar.sync 0;
	cvt.u64.u32 %d4, %r2;
	add.s64 %d4, %d1, %d4;
	.loc 1 20 1
	ld.global.u32 %r8, [%d4];
	.loc 1 21 1
	st.shared.u32 [%r4], %r8;
	bar.sync 0;
)";

}  // namespace

TEST(ptx_bulk_copy, of_a_group_is_waited_for) {
  expect_result(store, reversed_numbers());
  // With .read, the source may be written, but the target may not be read.
  const std::string only_read = with(store, "wait_group 0", "wait_group.read 0");
  expect_race(only_read, {"(/home/me/copies.cu:12)", "(/home/me/copies.cu:20)",
                          "cp.async.bulk.wait_group, before"});
  expect_result(with(only_read, "ld.global.u32 %r8, [%d4];", "mov.u32 %r8, %r1;"),
                reversed_numbers());
  expect_race(with(store, "wait_group 0", "wait_group 1"), {"(/home/me/copies.cu:12)"});
}

// A thread copies its own store. 4 seeds: stores wait in buffers for longer on some.
TEST(ptx_bulk_copy, takes_part_in_weak_memory) {
  const std::string body = R"(
	setp.ne.s32 %p1, %r1, 1;
	@%p1 ret;
	st.shared.u32 [%r3+12], 77;
	fence.proxy.async;
	cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 16;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
	ld.global.u32 %r8, [%d1+12];
	st.global.u32 [%d3], %r8;
	ret;
)";
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto [report, out] =
        run_copies(body, simt::random_schedule(seed, simt::memory_kind::weak));
    EXPECT_EQ(report, "");
    EXPECT_EQ(out[1], 77u) << seed;
  }
}

TEST(ptx_bulk_copy, reads_its_source_until_that_is_waited_for) {
  const std::string overwrites = with(with(store, "cp.async.bulk.wait_group 0;", ""),
                                      "ld.global.u32 %r8, [%d4];", "mov.u32 %r8, %r1;");
  expect_race(overwrites, {"(/home/me/copies.cu:12)", "(/home/me/copies.cu:21)",
                           "cp.async.bulk.wait_group.read"});
  const std::string ends = with(overwrites, "st.shared.u32 [%r4], %r8;", "");
  EXPECT_EQ(run_copies(ends).first,
            "its thread ends while the copy may still read shared memory; missing: "
            "cp.async.bulk.wait_group.read: cp.async.bulk.global.shared::cta.bulk_group "
            "(/home/me/copies.cu:12), by block 0, thread 0");
}

TEST(ptx_bulk_copy, needs_a_proxy_fence_after_plain_stores) {
  const std::string without = with(store, "fence.proxy.async.shared::cta;", "");
  expect_race(without,
              {"(/home/me/copies.cu:12)", "(/home/me/copies.cu:10)",
               "missing: fence.proxy.async between the plain store and the begin of the copy"});
  // It may also be the thread that begins the copy, but not after that.
  expect_result(with(without, "@!%p1 bra $copied;", "fence.proxy.async; @!%p1 bra $copied;"),
                reversed_numbers());
  expect_race(with(without, "cp.async.bulk.commit_group;",
                   "fence.proxy.async; cp.async.bulk.commit_group;"),
              {"fence.proxy.async"});
  expect_race(
      with(without, "st.shared.u32 [%r4], %r1;", "fence.proxy.async; st.shared.u32 [%r4], %r1;"),
      {"fence.proxy.async"});
}

TEST(ptx_bulk_copy, goes_to_several_blocks) {
  const std::string body = R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 1;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
$begun:
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	mov.u32 %r8, %cluster_ctarank;
	setp.eq.and.s32 %p3, %r8, 0, %p1;
	@!%p3 bra $wait;
	.loc 1 18 1
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d1], 256, [bar], 3;
$wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
	@!%p2 bra $wait;
)";
  numbers both = reversed_numbers();
  both.insert(both.end(), both.begin(), both.begin() + 64);
  expect_result(body, both, 2);
  expect_race(with(body, "@!%p2 bra $wait;",
                   "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"),
              {"(/home/me/copies.cu:18)", "(/home/me/copies.cu:30)"}, 2);
  const std::string one =
      run_copies(with(body, "[bar], 3;", "[bar], 1;"), checked_for_races(), 2).first;
  EXPECT_TRUE(mentions(one, {"livelock"})) << one;
}

TEST(ptx_bulk_copy, goes_to_another_block) {
  const std::string body = R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 1;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
$begun:
	st.shared.u32 [%r4], %r1;
	fence.proxy.async;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	@!%p1 bra $wait;
	mov.u32 %r8, %cluster_ctarank;
	xor.b32 %r8, %r8, 1;
	add.s32 %r9, %r3, 128;
	mapa.shared::cluster.u32 %r9, %r9, %r8;
	mov.u32 %r10, bar;
	mapa.shared::cluster.u32 %r10, %r10, %r8;
	.loc 1 18 1
	cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r9], [tile], 128, [%r10];
$wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
	@!%p2 bra $wait;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
)";
  numbers both(128);
  for (std::uint32_t i = 0; i < 128; ++i) both[i] = 31 - i % 32;
  expect_result(body, both, 2);
  expect_race(with(body, "@!%p2 bra $wait;", ""), {"(/home/me/copies.cu:18)"}, 2);
}

/// More copies than there can be async threads at a time.
TEST(ptx_bulk_copy, waits_for_another_one_if_there_are_too_many) {
  expect_result(R"(
	st.shared.u32 [%r4], %r1;
	fence.proxy.async;
	bar.sync 0;
	mov.u32 %r8, 0;
$again:
	cp.async.bulk.global.shared::cta.bulk_group [%d2], [tile], 0;
	cp.async.bulk.commit_group;
	add.s32 %r8, %r8, 1;
	setp.lt.s32 %p3, %r8, 3;
	@%p3 bra $again;
	cp.async.bulk.wait_group 0;
	bar.sync 0;
)",
                reversed_numbers());
}

}  // namespace ptx_test
