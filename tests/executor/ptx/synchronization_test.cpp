// Kernels that synchronize run right without races; without one of their orders, the race is
// reported with both lines of the source.
#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

namespace {

/// Block 0 stores data and raises a flag; block 1 waits for it. Both through a header of the
/// toolkit.
const std::string message = module_head + R"(
.entry k(.param .u64 data, .param .u64 flag, .param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %d<5>;
	ld.param.u64 %d1, [data];
	ld.param.u64 %d2, [flag];
	ld.param.u64 %d3, [out];
	mov.u32 %r1, %ctaid.x;
	setp.ne.s32 %p1, %r1, 0;
	@%p1 bra $reader;
	.loc 1 10 3
	st.global.u32 [%d1], 42;
	.loc 1 11 3
	.loc 2 500 7, function_name $name, inlined_at 1 11 3
	fence.acq_rel.gpu;
	st.relaxed.gpu.global.u32 [%d2], 1;
	ret;
$reader:
	.loc 1 15 3
	.loc 2 600 7, function_name $name, inlined_at 1 15 3
	ld.acquire.gpu.global.u32 %r2, [%d2];
	setp.eq.s32 %p2, %r2, 0;
	@%p2 bra $reader;
	.loc 1 16 3
	ld.global.u32 %r3, [%d1];
	st.global.u32 [%d3], %r3;
	ret;
}
)";

struct message_result {
  std::string report;
  std::uint32_t out;
};

message_result pass_message(const std::string& text, const simt::settings& how,
                            const ptx::launch_options& options = {}) {
  const simt::scoped_settings scope(how);
  program p(text);
  p.options = options;
  words<std::uint32_t> data(1), flag(1), out(1);
  const std::string report =
      report_of([&] { p.run("k", grid(2, 1), data.data(), flag.data(), out.data()); });
  return {report, out[0]};
}

}  // namespace

TEST(ptx_synchronization, a_message_needs_release_and_acquire) {
  const auto [report, out] = pass_message(message, checked_for_races());
  EXPECT_EQ(report, "");
  EXPECT_EQ(out, 42u);
  const auto fault = [&](const char* what, const char* by) {
    return pass_message(with(message, what, by), checked_for_races()).report;
  };
  const std::string no_release = fault("fence.acq_rel.gpu;", "");
  EXPECT_TRUE(mentions(no_release, {"plain load", "(/home/me/kernel.cu:16)", "plain store",
                                    "(/home/me/kernel.cu:10)", "missing: a device-scope release"}))
      << no_release;
  const std::string no_acquire = fault("ld.acquire.gpu", "ld.relaxed.gpu");
  EXPECT_TRUE(mentions(
      no_acquire, {"(/home/me/kernel.cu:16)", "(/home/me/kernel.cu:10)", "device-scope acquire"}))
      << no_acquire;
  const std::string narrow = fault("fence.acq_rel.gpu", "fence.acq_rel.cta");
  EXPECT_TRUE(mentions(narrow, {"at a narrower scope"})) << narrow;
  const std::string narrow_flag = fault("st.relaxed.gpu", "st.relaxed.cta");
  EXPECT_TRUE(mentions(
      narrow_flag, {"(/home/me/kernel.cu:15)", "(/home/me/kernel.cu:11)", "missing: device scope"}))
      << narrow_flag;
  const std::string plain = fault("st.relaxed.gpu", "st");
  EXPECT_TRUE(
      mentions(plain, {"(/home/me/kernel.cu:15)", "plain store", "(/home/me/kernel.cu:11)"}))
      << plain;
}

TEST(ptx_synchronization, in_weak_memory_a_missing_fence_gives_wrong_values) {
  const auto wrong = [](const std::string& text) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed)  // the fault shows in one of about five
      count += pass_message(text, simt::random_schedule(seed, simt::memory_kind::weak)).out != 42;
    return count;
  };
  EXPECT_EQ(wrong(message), 0);
  EXPECT_GT(wrong(with(message, "fence.acq_rel.gpu;", "")), 0);
}

TEST(ptx_synchronization, old_fences_and_volatile_accesses_pass_messages) {
  std::string text = with(message, "fence.acq_rel.gpu;", "membar.gl;");
  text = with(text, "st.relaxed.gpu.global", "st.volatile.global");
  text = with(text, "ld.acquire.gpu.global", "ld.volatile.global");
  text = with(text, "ld.global.u32 %r3", "membar.gl; ld.global.u32 %r3");
  EXPECT_EQ(pass_message(text, checked_for_races()).report, "");
  const std::string as_data =
      pass_message(text, checked_for_races(), {.volatiles = ptx::volatile_access::plain}).report;
  EXPECT_TRUE(mentions(
      as_data, {"plain load", "(/home/me/kernel.cu:15)", "plain store", "(/home/me/kernel.cu:11)"}))
      << as_data;
  const std::string block_fence =
      pass_message(with(text, "membar.gl;", "membar.cta;"), checked_for_races()).report;
  EXPECT_TRUE(mentions(block_fence, {"(/home/me/kernel.cu:16)", "(/home/me/kernel.cu:10)"}))
      << block_fence;
}

TEST(ptx_synchronization, a_block_barrier_orders_shared_memory) {
  const std::string text = module_head + R"(
.entry k(.param .u64 out)
{
	.shared .align 4 .b8 tile[256];
	.reg .b32 %r<8>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, tile;
	add.s32 %r4, %r3, %r2;
	.loc 1 5 1
	st.shared.u32 [%r4], %r1;
	.loc 1 6 1
	bar.sync 0;
	.loc 1 7 1
	xor.b32 %r5, %r2, 252;
	add.s32 %r5, %r3, %r5;
	ld.shared.u32 %r6, [%r5];
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d2, %d1, %d2;
	st.global.u32 [%d2], %r6;
	ret;
})";
  const auto run = [](const std::string& one) { return outcome_of(one, grid(1, 64), 64); };
  const auto [report, out] = run(text);
  EXPECT_EQ(report, "");
  EXPECT_EQ(out[0], 63u);
  EXPECT_EQ(out[63], 0u);
  const std::string broken = run(with(text, "bar.sync 0;", "")).first;
  EXPECT_TRUE(mentions(broken, {"shared memory", "(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)",
                                "missing: __syncthreads() between them"}))
      << broken;
  // Two halves with a barrier each are not enough: each thread reads what the other half wrote.
  const std::string halves =
      run(with(text, "bar.sync 0;", "shr.u32 %r7, %r1, 5; bar.sync %r7, 32;")).first;
  EXPECT_TRUE(mentions(halves, {"(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)"})) << halves;
  EXPECT_EQ(run(with(text, "bar.sync 0;", "barrier.cta.sync.aligned 3, 64;")).first, "");
}

TEST(ptx_synchronization, a_block_waits_for_a_barrier_with_its_line) {
  const program p(module_head + R"(
.entry k()
{
	.reg .pred %p;
	.reg .b32 %r;
	mov.u32 %r, %tid.x;
	setp.eq.s32 %p, %r, 0;
	.loc 1 9 1
	@%p bar.sync 1, 64;
	ret;
})");
  const std::string report = report_of([&] { p.run("k", grid(1, 64)); });
  EXPECT_TRUE(mentions(
      report, {"deadlock", "1 of 64 have come to named barrier 1", "(/home/me/kernel.cu:9)"}))
      << report;
}

TEST(ptx_synchronization, a_spin_lock_protects_its_data) {
  const std::string text = module_head + R"(
.entry k(.param .u64 lock, .param .u64 data)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [lock];
	ld.param.u64 %d2, [data];
	.loc 1 4 1
$try:
	atom.cas.acquire.gpu.global.b32 %r1, [%d1], 0, 1;
	setp.ne.s32 %p, %r1, 0;
	@%p bra $try;
	.loc 1 5 1
	ld.global.f32 %r2, [%d2];
	add.f32 %r3, %r2, 0f3F800000;
	st.global.f32 [%d2], %r3;
	.loc 1 6 1
	atom.exch.release.gpu.global.b32 %r1, [%d1], 0;
	ret;
})";
  const auto run = [](const std::string& one) {
    const simt::scoped_settings scope(checked_for_races());
    const program p(one);
    words<std::uint32_t> lock(1);
    words<float> data(1);
    const std::string report =
        report_of([&] { p.run("k", grid(3, 40), lock.data(), data.data()); });
    return std::pair(report, data[0]);
  };
  EXPECT_EQ(run(text), std::pair(std::string(), 120.0f));
  for (const auto& [what, by] :
       {std::pair("cas.acquire", "cas.relaxed"), std::pair("exch.release", "exch.relaxed")}) {
    const std::string report = run(with(text, what, by)).first;
    EXPECT_TRUE(mentions(report, {"(/home/me/kernel.cu:5)", "missing:"})) << report;
  }
}

TEST(ptx_synchronization, read_modify_writes_lose_nothing) {
  struct rmw {
    const char* instruction;
    std::uint64_t before, after;
  };
  constexpr std::uint64_t all = ~0ull;
  const rmw kinds[] = {
      {"red.global.add.u32 [%d1], 3;", 1, 1 + 3 * 64},
      {"atom.global.add.u64 %d3, [%d1], 3;", 1ull << 40, (1ull << 40) + 3 * 64},
      {"red.global.add.f32 [%d1], 0f3F800000;", 0, 0x42800000},
      {"red.global.add.f64 [%d1], 0d3FF0000000000000;", 0, 0x4050000000000000},
      {"red.global.inc.u32 [%d1], 9;", 0, 4},
      {"red.global.dec.u32 [%d1], 9;", 0, 6},
      {"red.global.max.s32 [%d1], %r1;", 0xffffffff, 63},
      {"red.global.max.u32 [%d1], %r1;", 0xffffffff, 0xffffffff},
      {"red.global.min.u64 [%d1], %d2;", all, 0},
      {"red.global.and.b64 [%d1], 12;", all, 12},
      {"red.global.or.b32 [%d1], %r1;", 0, 63},
      {"red.relaxed.sys.global.xor.b64 [%d1], 7;", 1, 1},
      {"red.add.noftz.f16 [%d1], %r2;", 0, 0x5400},
      {"red.global.add.v2.f32 [%d1], {0f3F800000, %r3};", 0, 0x42000000'42800000},
      {"atom.global.add.v2.f32 {%r1, %r2}, [%d1], {%r3, %r3};", 0, 0x42000000'42000000},
  };
  const simt::scoped_settings scope(checked_for_races());
  for (const auto& [instruction, before, after] : kinds) {
    const program p(module_head + R"(.entry k(.param .u64 at)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [at];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 15360;
	mov.b32 %r3, 0f3F000000;
	cvt.u64.u32 %d2, %r1;
	)" + instruction +
                    "\n	ret;\n}");
    words<std::uint64_t> at(1, before);
    EXPECT_EQ(report_of([&] { p.run("k", grid(1, 64), at.data()); }), "") << instruction;
    EXPECT_EQ(at[0], after) << instruction;
  }
}

TEST(ptx_synchronization, accesses_of_128_bits_are_one) {
  const program p(module_head + R"(.entry k(.param .u64 at)
{
	.reg .b64 %d<6>;
	.reg .b128 %w<4>;
	ld.param.u64 %d1, [at];
	ld.relaxed.gpu.global.b128 %w1, [%d1];
	mov.b128 {%d2, %d3}, %w1;
	add.s64 %d2, %d2, 1;
	mov.b128 %w2, {%d2, %d3};
	atom.cas.relaxed.gpu.b128 %w3, [%d1], %w1, %w2;
	atom.exch.relaxed.gpu.b128 %w3, [%d1+16], %w3;
	ret;
})");
  struct alignas(16) pair {
    std::uint64_t low, high;
  };
  words<pair> at(2, {5, 9});
  const simt::launch_result ran = p.run("k", grid(1, 1), at.data());
  EXPECT_EQ(at[0].low, 6u);
  EXPECT_EQ(at[0].high, 9u);
  EXPECT_EQ(at[1].low, 5u);
  EXPECT_EQ(ran.counts.total(), 3u);
}

}  // namespace ptx_test
