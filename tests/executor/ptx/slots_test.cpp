// Registers that share slots keep their values as long as these are needed.
#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

namespace {

/// A chain of registers, each alive for one instruction: they take every slot that is free.
/// \param first of its registers, 20 in all.
std::string filler(int first) {
  std::string text = "mov.u32 %r" + std::to_string(first) + ", 1000;\n";
  for (int i = first + 1; i < first + 20; ++i) {
    const std::string here = std::to_string(i), before = std::to_string(i - 1);
    text += "add.u32 %r" + here + ", %r" + before + ", 1;\n";
    text += "mov.u64 %d" + here + ", 12345;\n";
  }
  return text;
}

std::string with_fillers(std::string body) {
  const std::string mark = "FILLER";
  int first = 100;
  for (std::size_t at; (at = body.find(mark)) != std::string::npos; first += 20)
    body.replace(at, mark.size(), filler(first));
  return R"(
.version 8.0
.visible .entry k(.param .u64 out, .param .u32 x)
{
	.reg .pred %p<4>;
	.reg .b32 %r<2000>;
	.reg .b64 %d<200>;
	.reg .b128 %w<2>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [x];
)" + body +
         R"(
	st.global.u32 [%d1], %r2;
	ret;
})";
}

std::uint32_t last_word_of(const std::string& body, std::uint32_t x = 0) {
  const program p(with_fillers(body));
  words<std::uint32_t> out(1);
  p.run("k", grid(1, 1), out.data(), x);
  return out[0];
}

}  // namespace

TEST(ptx_slots, a_value_outlives_an_iteration) {
  EXPECT_EQ(last_word_of(R"(
	mov.u32 %r4, 0;
	mov.u32 %r2, 0;
$loop:
	add.u32 %r2, %r2, %r3;
	FILLER
	add.u32 %r3, %r4, 1;
	FILLER
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p1, %r4, 4;
	@%p1 bra $loop;)"),
            6u);
}

TEST(ptx_slots, a_guarded_write_may_not_take_place) {
  EXPECT_EQ(last_word_of(R"(
	mov.u32 %r4, 0;
	mov.u32 %r2, 0;
$loop:
	FILLER
	setp.eq.u32 %p1, %r4, 0;
	@%p1 mov.u32 %r3, 7;
	add.u32 %r2, %r2, %r3;
	FILLER
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p1, %r4, 2;
	@%p1 bra $loop;)"),
            14u);
}

TEST(ptx_slots, a_value_is_needed_where_a_jump_leads) {
  const std::string body = R"(
	bra $start;
table: .branchtargets $one, $two;
$one:
	add.u32 %r3, %r3, 1;
	mov.u32 %r2, %r3;
	bra $end;
$two:
	add.u32 %r2, %r4, 2;
	bra $end;
$three:
	add.u32 %r2, %r5, 3;
	bra $end;
$start:
	FILLER
	mov.u32 %r3, 10;
	mov.u32 %r4, 20;
	mov.u32 %r5, 30;
	FILLER
	setp.eq.u32 %p1, %r1, 2;
	@%p1 bra $three;
	brx.idx %r1, table;
$end:)";
  EXPECT_EQ(last_word_of(body, 0), 11u);
  EXPECT_EQ(last_word_of(body, 1), 22u);
  EXPECT_EQ(last_word_of(body, 2), 33u);
}

TEST(ptx_slots, a_register_that_is_never_written_is_zero) {
  EXPECT_EQ(last_word_of("FILLER\n mov.u32 %r2, %r50;"), 0u);
}

TEST(ptx_slots, wide_registers_take_two) {
  EXPECT_EQ(last_word_of(R"(
	mov.u64 %d2, 1;
	mov.u64 %d3, 2;
	mov.b128 %w1, {%d2, %d3};
	FILLER
	mov.b128 {%d4, %d5}, %w1;
	add.u64 %d4, %d4, %d5;
	cvt.u32.u64 %r2, %d4;)"),
            3u);
}

TEST(ptx_slots, vector_loads_write_all_their_registers) {
  EXPECT_EQ(last_word_of(R"(
	st.global.u32 [%d1], 6;
	FILLER
	ld.global.v2.u16 {%r3, %r4}, [%d1];
	FILLER
	add.u32 %r2, %r3, %r4;)"),
            6u);
}

TEST(ptx_slots, frames_are_as_large_as_what_is_alive_together) {
  std::string long_chain = "mov.u32 %r200, 0;\n", vectors;
  for (int i = 201; i < 2000; ++i) {
    const std::string here = std::to_string(i), before = std::to_string(i - 1);
    long_chain += "add.u32 %r" + here + ", %r" + before + ", 1;\n";
  }
  for (int i = 200; i < 2000; i += 2) {
    const std::string here = std::to_string(i), after = std::to_string(i + 1);
    vectors += "ld.global.v2.u16 {%r" + here + ", %r" + after + "}, [%d1];\n";
  }
  constexpr std::size_t few = 16 * sizeof(std::uint64_t);
  EXPECT_EQ(last_word_of(long_chain + "mov.u32 %r2, %r1999;"), 1799u);
  EXPECT_LE(program(with_fillers(long_chain)).kernel("k").register_bytes, few);
  EXPECT_LE(program(with_fillers(vectors)).kernel("k").register_bytes, few);
}

}  // namespace ptx_test
