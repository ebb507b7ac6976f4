// What of a kernel has run, and where what is approximate leads to.
#include <ptx/coverage.hpp>

#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

TEST(ptx_coverage, is_of_accesses_and_barriers_over_all_launches) {
  const program p(module_head + R"(
.entry k(.param .u64 out, .param .u32 way)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [way];
	setp.eq.u32 %p1, %r1, 0;
	prefetch.global.L2 [%d1];
	.loc 1 5 1
	@%p1 st.global.u32 [%d1], %r1;
	.loc 1 6 1
	@!%p1 ld.global.u32 %r2, [%d1];
	.loc 1 7 1
	@!%p1 bar.sync 0;
	@%p1 bra $end;
	ex2.approx.ftz.f32 %r3, %r1;
	add.u32 %r4, %r3, 1;
	cvt.u64.u32 %d2, %r4;
	mov.u32 %r5, %clock;
	and.b64 %d2, %d2, 0;
	add.u64 %d3, %d1, %d2;
	ld.global.u32 %r2, [%d3];
$end:
	ret;
}
)");
  words<std::uint32_t> out(1);
  const auto ran = [&] {
    std::string all;
    for (const ptx::covered_site& each : ptx::coverage_of(p.kernel("k")).sites)
      all += each.has_run ? (each.is_barrier ? 'B' : 'A') : (each.is_barrier ? 'b' : 'a');
    return all;
  };
  EXPECT_EQ(ran(), "aaba");
  p.run("k", grid(1, 1), out.data(), 0u);
  EXPECT_EQ(ran(), "Aaba");
  const auto first = ptx::coverage_of(p.kernel("k"));
  EXPECT_EQ(first.sites[1].place, "/home/me/kernel.cu:6");
  ASSERT_EQ(first.inexact.size(), 1u);  // the others have not run
  EXPECT_TRUE(first.inexact[0].is_skipped);
  p.run("k", grid(1, 1), out.data(), 1u);
  EXPECT_EQ(ran(), "AABA");
  const auto second = ptx::coverage_of(p.kernel("k")).inexact;
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[1].opcode, "ex2.approx.ftz.f32");
  EXPECT_TRUE(second[1].feeds_address);
  EXPECT_FALSE(second[1].feeds_branch);
  EXPECT_EQ(second[2].opcode, "%clock");
  EXPECT_FALSE(second[2].feeds_address);
}

}  // namespace ptx_test
