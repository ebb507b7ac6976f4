// What a module is made of, and texts that are no PTX.
#include <tests/executor/ptx/launching.hpp>

#include <algorithm>
#include <random>
#include <string_view>

namespace ptx_test {

namespace {

const std::string module_text = R"(
.version 8.0
.target sm_90
.address_size 64
.file 1 "/home/me/kernel.cu"
.file 2 "/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda/std/atomic", 17, 4
.global .align 4 .u32 counter = 7;
.visible .global .align 16 .b8 table[16] = {1, 2, 0xFF};
.const .align 8 .u64 pointers[2] = {counter, generic(table)+4};
.extern .shared .align 16 .b8 dynamic[];
.extern .global .align 4 .f32 elsewhere;
.global .f32 pi = 0f40490FDB;
.extern .global .align 4 .u32 counter;
.func (.param .b32 result) twice(.param .b32 value)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [value];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [result], %r2;
	ret;
}
.visible .entry first(
	.param .u8 small,
	.param .u64 .ptr .global .align 4 out,
	.param .align 4 .b8 both[12]
)
.maxntid 128, 2, 1
.reqnctapercluster 4
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	.shared .align 8 .b8 own[24];
	.local .align 8 .b8 mine[40];
	.loc 1 5 3
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, own;
	st.shared.u32 [%r1+4], %r1;
	mov.u32 %r2, dynamic;
	setp.eq.s32 %p1, %r1, 0;
	{
		.reg .b32 %r1;
		mov.u32 %r1, 5;
	}
	@!%p1 bra $done;
	trap;
$done:
	st.global.u32 [%rd1], %r2;
	ret;
}
)";

}  // namespace

TEST(ptx_text, tells_variables) {
  const ptx::loaded_module loaded(module_text);
  const auto named = [&](std::string_view name) {
    const auto& all = loaded.variables();
    return *std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.name == name; });
  };
  EXPECT_EQ(loaded.variables().size(), 6u);
  EXPECT_EQ(named("counter").bytes, 4u);
  EXPECT_EQ(named("counter").initial, (std::vector<std::byte>{std::byte{7}, {}, {}, {}}));
  EXPECT_EQ(named("table").bytes, 16u);
  EXPECT_EQ(named("table").alignment, 16u);
  EXPECT_EQ(named("table").initial[2], std::byte{255});
  EXPECT_EQ(named("pi").initial[3], std::byte{0x40});
  EXPECT_TRUE(named("elsewhere").is_external);
  EXPECT_EQ(named("dynamic").space, ptx::state_space::shared);
  EXPECT_EQ(named("dynamic").bytes, 0u);
  ASSERT_EQ(named("pointers").addresses.size(), 2u);
  EXPECT_EQ(named("pointers").space, ptx::state_space::constant);
  EXPECT_EQ(named("pointers").addresses[1].offset, 8u);
  EXPECT_EQ(named("pointers").addresses[1].name, "table");
  EXPECT_EQ(named("pointers").addresses[1].addend, 4);
}

TEST(ptx_text, tells_kernels) {
  const ptx::loaded_module loaded(module_text);
  EXPECT_EQ(loaded.kernels(), std::vector<std::string>{"first"});
  EXPECT_EQ(loaded.find("second"), nullptr);
  EXPECT_EQ(loaded.find("twice"), nullptr);
  const ptx::kernel& first = *loaded.find("first");
  ASSERT_EQ(first.parameters.size(), 3u);
  EXPECT_EQ(first.parameters[1].offset, 8u);
  EXPECT_EQ(first.parameters[2].offset, 16u);
  EXPECT_EQ(first.parameter_bytes, 28u);
  EXPECT_EQ(first.static_shared_bytes, 32u);  // aligned for the dynamic part
  EXPECT_EQ(first.local_bytes, 40u);
  EXPECT_EQ(first.most_threads, (ptx::kernel::extent{128, 2, 1}));
  EXPECT_EQ(first.required_threads, ptx::kernel::extent{});
  EXPECT_EQ(first.cluster_blocks, (ptx::kernel::extent{4, 1, 1}));
}

TEST(ptx_text, places_variables_in_each_other) {
  ptx::loaded_module loaded(module_text);
  words<std::uint64_t> counter(1), table(2), pointers(2);
  loaded.place("counter", counter.data());
  loaded.place("pointers", pointers.data());
  EXPECT_EQ(report_of([&] { loaded.relocate(); }), "table is not in memory yet: place() it first");
  loaded.place("table", table.data());
  loaded.relocate();
  EXPECT_EQ(static_cast<std::uint32_t>(counter[0]), 7u);
  EXPECT_EQ(pointers[0], reinterpret_cast<std::uint64_t>(counter.data()));
  EXPECT_EQ(pointers[1], reinterpret_cast<std::uint64_t>(table.data()) + 4);
  EXPECT_EQ(report_of([&] { loaded.place("none", table.data()); }),
            "the module has no variable none");
  EXPECT_EQ(report_of([&] { loaded.place("dynamic", table.data()); }),
            "dynamic is in shared memory, which each launch places");
}

TEST(ptx_text, modules_are_linked_by_names) {
  const std::string caller = R"(.version 8.0
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .u32 shown;
.entry k() {
	.reg .b32 %r1;
	.loc 1 5 1
	{
	.param .b32 x;
	.param .b32 r;
	st.param.b32 [x], 21;
	call.uni (r), twice, (x);
	ld.param.b32 %r1, [r];
	}
	.loc 1 6 1
	st.global.u32 [shown], %r1;
	ret;
}
	.file 1 "/home/me/caller.cu"
)";
  const std::string callee = R"(.version 8.0
.file 1 "/home/me/callee.cu"
.visible .global .u32 shown = 1;
.visible .func (.param .b32 r) twice(.param .b32 x) {
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	.loc 1 9 1
	ld.volatile.shared.u32 %r2, [%r1+100];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [r], %r2;
	ret;
}
)";
  for (const bool is_first : {true, false}) {
    for (const bool fails : {true, false}) {
      const std::string other = fails ? callee : with(callee, "ld.volatile", "// ");
      ptx::loaded_module both(is_first ? std::vector{caller, other} : std::vector{other, caller});
      words<std::uint32_t> shown(1);
      both.place("shown", shown.data());
      EXPECT_EQ(shown[0], 1u);
      const std::string report = report_of([&] { ptx::run(*both.find("k"), grid(1, 1), {}); });
      EXPECT_EQ(report.find("(/home/me/callee.cu:9") != std::string::npos, fails) << report;
      EXPECT_EQ(shown[0], fails ? 1u : 42u) << report;
    }
  }
  ptx::loaded_module alone(with(caller, "call.uni (r), twice, (x);", ""));
  EXPECT_EQ(report_of([&] { ptx::run(*alone.find("k"), grid(1, 1), {}); }),
            "k uses shown, which no PTX of the program defines");
}

TEST(ptx_text, launches_need_places_and_parameters) {
  const ptx::loaded_module loaded(
      ".version 8.0\n.global .u32 x;\n.entry k(.param .u32 p) { .reg .b64 %a; mov.u64 %a, x; ret; "
      "}");
  const ptx::kernel& k = *loaded.find("k");
  EXPECT_EQ(report_of([&] { ptx::run(k, grid(1, 1), parameters(1)); }),
            "k uses x, which is not in memory yet: place() it first");
  EXPECT_EQ(report_of([&] { ptx::run(k, grid(1, 1), {}); }),
            "k takes 4 bytes of parameters, not 0");
}

TEST(ptx_text, malformed_text_is_refused_with_its_line) {
  struct wrong {
    const char* text;
    const char* report;
  };
  const std::string header = ".version 8.0\n.entry k(.param .u64 a)\n{\n.reg .b32 %r<4>;\n";
  const wrong modules[] = {
      {"", ""},
      {"\n#include <cstdio>", "PTX line 2: PTX has no such character"},
      {"int main;", "PTX line 1: PTX begins with .version, at 'int'"},
      {".version 8.0\n/* no end", "PTX line 2: the comment does not end"},
      {".version 8.0\n.file 1 \"a", "PTX line 2: the string does not end"},
      {".version 8.0\n.file x", "PTX line 2: expected an integer up to 4294967295, at 'x'"},
      {".version 8.0\n.global .u32 a[99999999999999];",
       "PTX line 2: expected an integer up to 4294967296, at '99999999999999'"},
      {".version 8.0\n.global .u64 a[4294967296];",
       "PTX line 2: the variable is larger than 4 GiB, at ']'"},
      {".version 8.0\n.global .align 3 .u32 a;",
       "PTX line 2: the alignment 3 is not a power of two, at '.u32'"},
      {".version 8.0\n.global .u32 a = {1, 2};",
       "PTX line 2: there are more values than the variable has room for, at ';'"},
      {".version 8.0\n.global .u32 a[2] = {1, 2;",
       "PTX line 2: the closing brace of the values is missing, at ';'"},
      {".version 8.0\n.global .u32 a = b;",
       "PTX line 2: an address needs a variable of 8 bytes, not 4, at ';'"},
      {".version 8.0\n.local .u32 a;",
       "PTX line 2: a module's variables are .global, .const or .shared, at ';'"},
      {".version 8.0\n.reg .u32 a;", "PTX line 2: expected a variable or a function, at '.reg'"},
      {".version 8.0\n.entry k() { ret;", "PTX line 2: expected a name, at the end"},
      {".version 8.0\n.entry k() { ret }", "PTX line 2: expected a name, at '}'"},
      {".version 8.0\n.entry k() { .reg .b32 %r<9999999>; }",
       "PTX line 2: expected an integer up to 1048576, at '9999999'"},
      {".version 8.0\n.entry k() { .reg .v2 .b32 %r; }",
       "PTX line 2: vector registers are not supported, at '.v2'"},
      {".version 8.0\n.extern .func f() .entry k() { ret; }", "PTX line 2: expected ';', at 'k'"},
      {".version 8.0\n.entry k() { mov.u32 ((((((((((a)))))))))), 1; }",
       "PTX line 2: operands are nested more than 8 deep, at '('"},
  };
  for (const auto& [text, report] : modules)
    EXPECT_EQ(report_of([&] { ptx::loaded_module loaded{text}; }), report) << text;

  const wrong statements[] = {
      {"add.s32 %r1, %r2;", "PTX line 5: add.s32: expected 3 operands, found 2"},
      {"add.s32 %r1, %r2, %r9;", "PTX line 5: add.s32: '%r9' is not declared"},
      {"add.s32 5, %r2, %r3;", "PTX line 5: add.s32: the destination is not a register"},
      {"add.s32 %r4, %r2, %r3;", "PTX line 5: add.s32: the register '%r4' is not declared"},
      {"add.s32 %r1, [%r2], 1;", "PTX line 5: add.s32: expected a register, a number or a name"},
      {"add.s32 %r1, 0x, 1;", "PTX line 5: add.s32: '0x' is not a number"},
      {"add.s32 %r1, 0f3F800000, 1;",
       "PTX line 5: add.s32: expected an integer, not a real number"},
      {"bra $none;", "PTX line 5: bra: the label '$none' is not declared"},
      {"@%q bra $none;", "PTX line 5: bra: '%q' is not declared"},
      {"ld.global.u32 %r1, %r2;", "PTX line 5: ld.global.u32: expected an address in brackets"},
      {"ld.global.v2.u32 %r1, [%r2];",
       "PTX line 5: ld.global.v2.u32: expected 2 registers, found 1"},
      {"ld.global.u32 %r1, [none];", "PTX line 5: ld.global.u32: 'none' is not declared"},
      {"mov.b64 %r1, {%r1, %r2, %r3};",
       "PTX line 5: mov.b64: cannot take 8 bytes apart into 3 registers"},
      {"bar.arrive 1;", "PTX line 5: bar.arrive: expected the number of threads"},
  };
  for (const auto& [text, report] : statements) {
    const ptx::loaded_module loaded(header + text + "\nret; }");
    EXPECT_EQ(report_of([&] { loaded.find("k"); }), report) << text;
  }
}

// Whatever a text is, it is read or refused. 3,000 texts reach each refusal of the parser but one
// (a variable of 4 GiB).
TEST(ptx_text, mutated_texts_do_no_harm) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = module_text;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      const std::size_t length = std::min(1 + below(12), text.size() - at);
      switch (below(4)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, text.substr(below(text.size()), length));
          break;
        case 2:
          text[at] = static_cast<char>(random());
          break;
        default:
          text[at] = "{}()[];,.:%0"[below(12)];
      }
      if (text.empty()) text = "x";
    }
    try {
      const ptx::loaded_module loaded(text);
      for (const std::string& name : loaded.kernels()) loaded.find(name);
    } catch (const ptx::error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_LT(refused, 2900u);
}

}  // namespace ptx_test
