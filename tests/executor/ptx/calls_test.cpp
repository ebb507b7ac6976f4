// Calls, branches by a table, memory of a thread, and the functions that CUDA provides.
#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

namespace {

const std::string calls_text = R"(
.version 8.0
.file 1 "/home/me/calls.cu"
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.extern .func free(.param .b64 what);
.extern .func (.param .b32 result) of_another_module(.param .b32 x);
.global .align 8 .u64 functions[3] = {doubled, increased, roomy};
.global .align 1 .b8 text[] = "";
.func (.param .b32 result) doubled(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [x];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [result+0], %r2;
	ret;
}
.func (.param .b32 result) increased(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [x];
	add.s32 %r2, %r1, 1;
	st.param.b32 [result+0], %r2;
	ret;
}
.func (.param .b32 result) roomy(.param .b32 x)
{
	.local .align 8 .b8 room[65536];
	st.local.u32 [room+65532], 22;
	st.param.b32 [result+0], 22;
	ret;
}
// factorial, with a frame for each call
.func (.param .b32 result) factorial(.param .b32 x)
{
	.reg .pred %p;
	.reg .b32 %r<5>;
	ld.param.u32 %r1, [x];
	setp.gt.s32 %p, %r1, 1;
	@%p bra $more;
	st.param.b32 [result+0], 1;
	ret;
$more:
	add.s32 %r2, %r1, -1;
	{
	.param .b32 p0;
	.param .b32 r0;
	st.param.b32 [p0+0], %r2;
	call.uni (r0), factorial, (p0);
	ld.param.b32 %r3, [r0+0];
	}
	mul.lo.s32 %r4, %r3, %r1;
	st.param.b32 [result+0], %r4;
	ret;
}
)";

std::string kernel_text(const std::string& body) {
  std::string text = calls_text;
  text.replace(text.find(".b8 text[] = \"\""), 15, ".b8 text[8] = {37, 100, 32, 37, 46, 49, 102}");
  return text + R"(
.visible .entry k(.param .u64 out, .param .u32 x)
{
	.local .align 8 .b8 depot[16];
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %d<8>;
	.loc 1 3 1
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [x];
	.loc 1 7 1
)" + body +
         R"(
	st.global.u32 [%d1], %r2;
	ret;
})";
}

std::uint32_t result_of(const std::string& body, std::uint32_t x) {
  const program p(kernel_text(body));
  words<std::uint32_t> out(1);
  p.run("k", grid(1, 1), out.data(), x);
  return out[0];
}

std::string report(const std::string& body, std::uint32_t x = 0) {
  return report_of([&] { result_of(body, x); });
}

}  // namespace

TEST(ptx_calls, by_name) {
  const std::string call = R"({ .param .b32 p; .param .b32 r;
	st.param.b32 [p], %r1; call.uni (r), factorial, (p); ld.param.b32 %r2, [r]; })";
  EXPECT_EQ(result_of(call, 5), 120u);
  EXPECT_EQ(report(call, 1'000'000),
            "factorial finds no room on its stack: calls are nested too deeply");
}

TEST(ptx_calls, by_address) {
  const std::string call = R"(
	mul.wide.u32 %d2, %r1, 8; mov.u64 %d3, functions; add.s64 %d3, %d3, %d2;
	ld.global.u64 %d4, [%d3];
	{ .param .b32 p; .param .b32 r;
	st.param.b32 [p], 20; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
	call (r), %d4, (p), proto; ld.param.b32 %r2, [r]; })";
  EXPECT_EQ(result_of(call, 0), 40u);
  EXPECT_EQ(result_of(call, 1), 21u);
  EXPECT_EQ(result_of(call, 2), 22u);
  const std::string nowhere = R"(mov.u64 %d4, 12345; { .param .b32 p; .param .b32 r;
	st.param.b32 [p], 20; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
	call (r), %d4, (p), proto; })";
  EXPECT_EQ(report(nowhere),
            "no function has this address: call (/home/me/calls.cu:7), by block 0, thread 0");
}

TEST(ptx_calls, branches_by_a_table) {
  const std::string branch = R"(
table: .branchtargets $zero, $one, $zero;
	brx.idx %r1, table;
$zero: mov.u32 %r2, 10; bra $end;
$one: mov.u32 %r2, 11;
$end:)";
  EXPECT_EQ(result_of(branch, 0), 10u);
  EXPECT_EQ(result_of(branch, 1), 11u);
  EXPECT_EQ(result_of(branch, 2), 10u);
  EXPECT_EQ(report(branch, 3),
            "the index is beyond the branch's labels: brx.idx (/home/me/calls.cu:7), by block 0, "
            "thread 0");
}

TEST(ptx_calls, names_and_labels_are_those_of_the_innermost_scope) {
  EXPECT_EQ(result_of(R"(mov.u32 %r2, 1;
	{ .reg .b32 %r2; mov.u32 %r2, 50;
	{ .reg .b32 %r2; mov.u32 %r2, 900; bra $on; trap;
$on: add.u32 %r2, %r2, 1; }
	add.u32 %r2, %r2, 1; bra $on; trap;
$on: mov.u32 %r3, %r2; }
	bra $on; trap;
$on: add.u32 %r2, %r2, %r3;)",
                      0),
            52u);
}

TEST(ptx_calls, variables_have_addresses_within_them) {
  EXPECT_EQ(result_of(R"(mov.u64 %d2, functions+8; mov.u64 %d3, functions;
	sub.u64 %d2, %d2, %d3; cvt.u32.u64 %r2, %d2;)",
                      0),
            8u);
  EXPECT_EQ(result_of("ld.global.u8 %r2, [text+1];", 0), std::uint32_t{'d'});
}

TEST(ptx_calls, loops_of_every_kind_come_to_an_end) {
  simt::settings how = simt::current_settings();
  how.longest_raw_loop = 1000;
  const simt::scoped_settings use(how);
  for (const char* const body :
       {"$again: bra $again;", "$again: bra.uni $again;",
        "$again: setp.ge.u32 %p1, %r1, 0; @%p1 bra $again;", "$again: bra $on; $on: bra $again;",
        "table: .branchtargets $again; $again: brx.idx 0, table;",
        "table: .branchtargets $end, $again; $again: mov.u32 %r2, 1; brx.idx %r2, table; $end:"})
    EXPECT_TRUE(report(body).starts_with("raw polling loop")) << body << ": " << report(body);
}

TEST(ptx_calls, local_memory_is_the_threads_own) {
  EXPECT_EQ(result_of(R"(mov.u64 %d2, depot; cvta.local.u64 %d3, %d2;
	st.u32 [%d3+4], %r1; ld.local.u32 %r2, [depot+4];)",
                      9),
            9u);
  EXPECT_EQ(report("mov.u64 %d2, depot; st.local.u32 [%d2+16777216], %r1;"),
            "the address is outside of the thread's local memory: st.local.u32 "
            "(/home/me/calls.cu:7), by block "
            "0, thread 0");
  EXPECT_EQ(report("mov.u64 %d2, depot; atom.add.u32 %r2, [%d2], 1;"),
            "an atomic access cannot be to the thread's own memory: atom.add.u32 "
            "(/home/me/calls.cu:7), by "
            "block 0, "
            "thread 0");
}

TEST(ptx_calls, functions_of_cuda) {
  program p(kernel_text(R"(
	st.local.u32 [depot], %r1; st.local.f64 [depot+8], 0d3FF8000000000000;
	{ .param .b64 f; .param .b64 v; .param .b32 r;
	mov.u64 %d2, depot; mov.u64 %d3, text; st.param.b64 [f], %d3; st.param.b64 [v], %d2;
	call.uni (r), vprintf, (f, v); ld.param.b32 %r2, [r]; }
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64;
	call.uni (r), malloc, (n); ld.param.b64 %d4, [r]; }
	{ .param .b64 n; st.param.b64 [n], %d4; call.uni free, (n); })"));
  std::string printed;
  std::size_t wanted = 0;
  void* released = nullptr;
  p.options.print = [&](std::string_view text) { printed += text; };
  p.options.allocate = [&](std::size_t bytes) { return wanted = bytes, &wanted; };
  p.options.release = [&](void* what) { return released = what, true; };
  words<std::uint32_t> out(1);
  p.run("k", grid(1, 1), out.data(), std::uint32_t{42});
  EXPECT_EQ(printed, "42 1.5");
  EXPECT_EQ(out[0], 6u);
  EXPECT_EQ(wanted, 64u);
  EXPECT_EQ(released, &wanted);
}

TEST(ptx_calls, a_failed_assertion_ends_the_launch) {
  EXPECT_EQ(report(R"({ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
	mov.u64 %d2, text; st.param.b64 [a], %d2; st.param.b64 [b], %d2; st.param.b32 [c], 12;
	st.param.b64 [d], %d2; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); })"),
            "Assertion `%d %.1f' failed at %d %.1f:12 in %d %.1f: call.uni (/home/me/calls.cu:7), "
            "by block "
            "0, thread 0");
}

TEST(ptx_calls, exit_ends_the_thread_from_within_a_call) {
  const program p(R"(
.version 8.0
.func leave() { exit; }
.entry k(.param .u64 out)
{
	.reg .b64 %d;
	ld.param.u64 %d, [out];
	call.uni leave, ();
	st.global.u32 [%d], 1;
	ret;
})");
  words<std::uint32_t> out(1);
  p.run("k", grid(1, 1), out.data());
  EXPECT_EQ(out[0], 0u);
}

}  // namespace ptx_test
