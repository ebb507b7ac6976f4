// A block's shared memory ends with it: what others do there comes before.
#include <tests/executor/ptx/copies.hpp>

namespace ptx_test {

namespace {

/// Each thread reads its number in the other block, and writes it to its own tile.
const std::string read_other = R"(
	st.shared.u32 [%r4], %r1;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	mov.u32 %r8, %cluster_ctarank;
	xor.b32 %r8, %r8, 1;
	mapa.shared::cluster.u32 %r9, %r4, %r8;
	.loc 1 18 1
	ld.shared::cluster.u32 %r10, [%r9];
	bar.sync 0;
)";
const std::string leave_together = R"(
	barrier.cluster.arrive.relaxed.aligned;
	barrier.cluster.wait.aligned;
)";

/// Of all schedules, and whether the launch goes on.
std::vector<std::string> reports_of(const std::string& body, bool goes_on = false) {
  std::vector<std::string> all;
  for (unsigned seed = 0; seed <= 4; ++seed) {
    simt::settings how = seed == 0 ? simt::settings{} : simt::random_schedule(seed);
    how.check = simt::checking::races;
    std::string told;
    if (goes_on) how.on_race = [&](const simt::fault& race) { told += text_of(race); };
    all.push_back(run_copies(body, how, 2).first);
    if (goes_on) all.back() += told;
  }
  return all;
}

void expect_race_at_end(const std::string& body, std::initializer_list<const char*> words) {
  for (const std::string& each : reports_of(body)) EXPECT_TRUE(mentions(each, words)) << each;
}
void expect_none(const std::string& body) {
  EXPECT_EQ(reports_of(body), std::vector<std::string>(5));
}

/// The first thread tells the other block that all have read, at its mbarrier.
const std::string signal = R"(
	@!%p1 bra $wait;
	mov.u32 %r10, bar;
	mapa.shared::cluster.u32 %r10, %r10, %r8;
	mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];
$wait:
	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0;
	@!%p2 bra $wait;
)";
const std::string with_barrier = "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;" + read_other;

}  // namespace

TEST(ptx_block_ends, come_after_the_accesses_of_other_blocks_in_every_schedule) {
  expect_race_at_end(read_other, {"(/home/me/copies.cu:18)"});
  bool is_by_order = false;
  for (const std::string& each : reports_of(read_other, true)) {
    is_by_order |=
        mentions(each, {"data race: at shared memory +0x", "the plain load of 4 bytes by block ",
                        "races with the end of block ", "(cluster.sync())"});
  }
  EXPECT_TRUE(is_by_order);
  expect_none(read_other + leave_together);
}

TEST(ptx_block_ends, may_be_ordered_by_an_mbarrier) {
  expect_none(with_barrier + signal);
  expect_race_at_end(with(with_barrier, "bar.sync 0;", "") + signal, {"(/home/me/copies.cu:18)"});
  // The arrival itself is an access, too.
  const std::string alone =
      with(with_barrier, ".loc 1 18 1\n\tld.shared::cluster.u32 %r10, [%r9];", "");
  expect_none(alone + signal);
  expect_race_at_end(alone + with(signal, "@!%p2 bra $wait;", ""), {});
}

}  // namespace ptx_test
