// st.async and red.async: complete at an mbarrier of the cluster, and only then.
#include <tests/executor/ptx/copies.hpp>

namespace ptx_test {

namespace {

/// Each thread sends its number to the other block of its cluster.
const std::string send = R"(
	@!%p1 bra $begun;
	mbarrier.init.shared::cta.b64 [bar], 1;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
$begun:
	st.shared.u32 [%r4], 5;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	mov.u32 %r8, %cluster_ctarank;
	xor.b32 %r8, %r8, 1;
	mapa.shared::cluster.u32 %r9, %r4, %r8;
	mov.u32 %r10, bar;
	mapa.shared::cluster.u32 %r10, %r10, %r8;
	.loc 1 18 1
	st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r9], %r1, [%r10];
$wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
	@!%p2 bra $wait;
)";

const std::string add = with(
    send, "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r9], %r1",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9], %r1");

numbers twice(numbers half, std::uint32_t more) {
  for (std::uint32_t& each : half) each += more;
  half.insert(half.end(), half.begin(), half.begin() + 64);
  return half;
}

outcome run_in_pairs(const std::string& body, unsigned seed) {
  simt::settings how = simt::random_schedule(seed);
  how.check = simt::checking::races;
  return run_copies(body, how, 2);
}

}  // namespace

TEST(ptx_async_store, completes_its_bytes_at_an_mbarrier) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(run_in_pairs(send, seed), outcome("", twice(reversed_numbers(), 0)));
    EXPECT_EQ(run_in_pairs(add, seed), outcome("", twice(reversed_numbers(), 5)));
    EXPECT_EQ(run_in_pairs(with(add, ".add.u32 [%r9], %r1", ".inc.u32 [%r9], 5"), seed),
              outcome("", numbers(128, 0)));
    EXPECT_EQ(run_in_pairs(with(add, ".add.u32 [%r9], %r1", ".max.s32 [%r9], -1"), seed),
              outcome("", numbers(128, 5)));
  }
  const std::string fewer = run_in_pairs(with(send, "_, [bar], 256", "_, [bar], 260"), 1).first;
  EXPECT_TRUE(mentions(fewer, {"livelock"})) << fewer;
}

TEST(ptx_async_store, races_with_those_who_have_not_waited) {
  for (const std::string& each : {send, add}) {
    const std::string early = run_in_pairs(with(each, "@!%p2 bra $wait;", ""), 1).first;
    EXPECT_TRUE(mentions(early, {"data race", "(/home/me/copies.cu:18)", "(/home/me/copies.cu:30)",
                                 "a wait at its mbarrier"}))
        << early;
  }
}

TEST(ptx_async_store, of_several_registers_is_one_store) {
  const std::string pairs =
      with(with(send, "bytes.u32 [%r9], %r1", "bytes.v2.b32 [%r9], {%r1, %r8}"), ".loc 1 18 1",
           "and.b32 %r11, %r1, 1; setp.eq.s32 %p3, %r11, 0; @%p3 ");
  const auto [report, out] = run_in_pairs(pairs, 1);
  EXPECT_EQ(report, "");
  for (std::uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i % 2 == 0 ? (i < 64 ? 0u : 1u) : 63 - i % 64) << i;
}

}  // namespace ptx_test
