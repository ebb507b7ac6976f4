// Kernels that would harm the interpreter itself: they are refused, or their launch ends with a
// report. tests/executor/ptx/hostile tries many more.
#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

namespace {

const std::string harm_text = module_head + R"(
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.extern .func free(.param .b64 what);
.global .align 1 .b8 text[32] = TEXT;
.func (.param .b64 result) kept()
{
	.local .align 8 .b8 words[16];
	.reg .b64 %d<2>;
	mov.u64 %d1, words;
	st.param.b64 [result], %d1;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 x)
{
	.local .align 8 .b8 depot[16];
	.shared .align 16 .b8 tile[64];
	.reg .b32 %r<8>;
	.reg .b64 %d<8>;
	.reg .b128 %q<2>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [x];
	mov.u64 %d2, depot;
	.loc 1 7 1
	BODY
	ret;
})";

std::string harmful_kernel(const std::string& body, const std::string& text = "{0}") {
  return with(with(harm_text, "TEXT", text), "BODY", body);
}

std::string report_of_harm(const std::string& body) {
  return report_of([&] {
    const program p(harmful_kernel(body));
    words<std::uint32_t> out(64);
    p.run("k", grid(1, 1), out.data(), 5u);
  });
}

bool is_outside_of_local_memory(const std::string& body) {
  return report_of_harm(body).starts_with("the address is outside of the thread's local memory: ");
}

std::string in_numbers(std::string_view format) {
  std::string all = "{0";
  for (std::size_t at = format.size(); at-- > 0;)
    all.insert(1, std::to_string(static_cast<int>(format[at])) + ", ");
  return all + "}";
}

/// What vprintf prints, with the words 7 and 12.
std::string printed_by_kernel(std::string_view format) {
  program p(harmful_kernel(R"(
	mov.u64 %d3, text; st.local.u32 [depot], 7; st.local.u32 [depot+4], 12;
	{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %d3; st.param.b64 [v], %d2;
	call.uni (r), vprintf, (f, v); })",
                           in_numbers(format)));
  std::string all;
  p.options.print = [&](std::string_view text) { all += text; };
  words<std::uint32_t> out(64);
  p.run("k", grid(1, 1), out.data(), 5u);
  return all;
}

}  // namespace

TEST(ptx_harm, private_memory_is_that_of_calls_that_have_not_returned) {
  EXPECT_EQ(report_of_harm("st.local.u32 [%d2+12], %r1;"), "");
  for (const char* const body : {
           "st.local.u32 [%d2+16], %r1;",                     // beyond the end
           "st.local.u32 [%d2-8], %r1;",                      // the registers
           "mov.u64 %d2, -2; st.local.u32 [%d2], %r1;",       // the sum wraps around
           "st.local.v4.u32 [%d2+8], {%r1, %r1, %r1, %r1};",  // a part of it
           "ld.param.u32 %r1, [x+4];",                        // beyond the parameters
           R"({ .param .b64 r; call.uni (r), kept; ld.param.b64 %d3, [r]; }
	st.local.u32 [%d3], %r1;)",
       })
    EXPECT_TRUE(is_outside_of_local_memory(body)) << body << ": " << report_of_harm(body);
}

TEST(ptx_harm, shared_memory_has_a_beginning_and_an_end_that_are_told_with_the_line) {
  const auto is_refused = [](const std::string& body, const char* words) {
    const std::string report = report_of_harm(body);
    EXPECT_TRUE(report.starts_with("bad address: ") &&
                mentions(report, {"(/home/me/kernel.cu:7)", words}))
        << body << ": " << report;
  };
  EXPECT_EQ(report_of_harm("st.shared.u32 [tile+60], %r1;"), "");
  for (const char* const access : {"st.shared.u32 [%r2], %r1;", "ld.shared.u32 %r1, [%r2];",
                                   "atom.shared.add.u32 %r1, [%r2], 1;"}) {
    const auto at = [&](const std::string& offset) {
      return "mov.u32 %r2, tile; add.u32 %r2, %r2, " + offset + "; " + access;
    };
    is_refused(at("-4"), "4 bytes at");
    is_refused(at("-4"), ", 4 bytes before its block's shared storage");
    is_refused(at("-100000"), ", 100000 bytes before its block's shared storage");
    is_refused(at("-2000000000"), "which is neither");
    is_refused(at("64"), "64 bytes into its block's shared storage of 64 bytes");
    is_refused(at("16777280"), "64 bytes into its block's shared storage of 64 bytes");
    is_refused(at("33554432"), "which is neither");
  }
}

TEST(ptx_harm, wide_operands_are_wide_registers) {
  EXPECT_EQ(report_of_harm("mov.b128 %q0, {%d1, %d2}; mov.b128 {%d3, %d4}, %q0;"), "");
  for (const char* const body :
       {"mov.b128 %d3, {%d1, %d2};", "mov.b128 %d3, %q0;", "mov.b128 %q0, %d3;", "mov.b128 %q0, 5;",
        "mov.b128 {%d3, %d4}, %d1;", "ld.shared.b128 %d3, [tile];", "st.shared.b128 [tile], %d3;",
        "atom.shared.exch.b128 %d3, [tile], %q0;", "atom.shared.exch.b128 %q0, [tile], %d3;"})
    EXPECT_TRUE(mentions(report_of_harm(body), {"expected a register of 128 bits"})) << body;
}

TEST(ptx_harm, printf_gets_numbers_alone) {
  EXPECT_EQ(printed_by_kernel("%d %u"), "7 12");
  EXPECT_EQ(printed_by_kernel("%-3d|%03d|"), "7  |012|");
  EXPECT_EQ(printed_by_kernel("%*d"), "     12");
  EXPECT_EQ(printed_by_kernel("%.3d|%.d|"), "007|12|");
  EXPECT_EQ(printed_by_kernel("%n%d"), "%n7");
  EXPECT_EQ(printed_by_kernel("%5%%"), "%%");
  EXPECT_EQ(printed_by_kernel("%1$d"), "%1$d");
  EXPECT_EQ(printed_by_kernel("100%"), "100%");
  EXPECT_EQ(printed_by_kernel("%99999999999d").size(), 255u);
}

TEST(ptx_harm, cuda_functions_take_parameters_of_their_sizes) {
  const std::string small = R"({ .param .b32 n; .param .b64 r; st.param.b32 [n], 64;
	call.uni (r), malloc, (n); })";
  EXPECT_EQ(report_of_harm(small),
            "not supported: call.uni (/home/me/kernel.cu:7), by block 0, thread 0");
  const std::string result = R"({ .param .b64 n; .param .b8 r; st.param.b64 [n], 64;
	call.uni (r), malloc, (n); })";
  EXPECT_EQ(report_of_harm(result),
            "not supported: call.uni (/home/me/kernel.cu:7), by block 0, thread 0");
}

TEST(ptx_harm, only_what_malloc_returned_is_freed) {
  program p(harmful_kernel("{ .param .b64 n; st.param.b64 [n], %d1; call.uni free, (n); }"));
  void* asked = nullptr;
  p.options.release = [&](void* what) { return asked = what, false; };
  words<std::uint32_t> out(64);
  EXPECT_EQ(report_of([&] { p.run("k", grid(1, 1), out.data(), 5u); }),
            "malloc() has not returned this address, or free() has already taken it: call.uni "
            "(/home/me/kernel.cu:7), by block 0, thread 0");
  EXPECT_EQ(asked, out.data());
  EXPECT_EQ(report_of([&] { p.run("k", grid(1, 1), std::uint64_t{0}, 5u); }), "");
}

TEST(ptx_harm, copies_are_not_larger_than_shared_memory) {
  EXPECT_EQ(
      report_of_harm("cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 0x7ffffff0;"),
      "the copy is larger than the block's shared memory: "
      "cp.async.bulk.global.shared::cta.bulk_group (/home/me/kernel.cu:7), by block 0, thread 0");
}

TEST(ptx_harm, addresses_may_be_numbers_and_a_block_may_have_no_shared_memory) {
  for (const auto& [space, at] : {std::pair("shared", "0x4"), std::pair("global", "0x512345678")}) {
    const program p(module_head + ".entry k() { .reg .b32 %r<2>; ld." + space + ".u32 %r1, [" + at +
                    "]; ret; }");
    EXPECT_EQ(report_of([&] { p.run("k", grid(1, 1)); }),
              std::string("bad address: block 0, thread 0 accessed 4 bytes at ") + at +
                  ", which is neither in a device buffer nor in its block's shared storage");
  }
}

TEST(ptx_harm, frames_and_chains_of_calls_have_limits) {
  const auto decoded = [](const std::string& text) {
    return report_of([&] { ptx::loaded_module(module_head + text).find("k"); });
  };
  EXPECT_EQ(decoded(".entry k() { .local .b8 all[524289]; ret; }"),
            "k has more than 512 KiB of local memory");
  EXPECT_EQ(decoded(".entry (.param .b32 r) k() { ret; }"),
            "PTX line 7: a kernel has no results, at 'k'");
  std::string chain = ".func f0() { .local .b8 all[1024]; ret; }\n";
  const auto add = [&](int i) {
    chain += ".func f" + std::to_string(i) + "() { .local .b8 all[1024]; call f" +
             std::to_string(i - 1) + "; ret; }\n";
  };
  for (int i = 1; i < 900; ++i) add(i);
  EXPECT_EQ(decoded(chain + ".entry k() { call f899; ret; }"), "");
  for (int i = 900; i < 1001; ++i) add(i);
  EXPECT_EQ(decoded(chain + ".entry k() { call f1000; ret; }"), "k nests calls too deeply");
  EXPECT_EQ(decoded(with(chain, "all[1024]", "all[400000]") + ".entry k() { call f899; ret; }"),
            "k needs more than 1 MiB of registers or local memory");
}

}  // namespace ptx_test
