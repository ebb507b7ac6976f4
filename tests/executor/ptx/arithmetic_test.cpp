// Instructions that compute, one by one: a value of each, with the cases that C++ leaves undefined.
#include <fmt/format.h>
#include <tests/executor/ptx/launching.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace ptx_test {

namespace {

/// The 64-bit registers %a, %b, %c are the inputs; %d is stored. %p, %q, %s, %t are scratch.
struct computed {
  std::string instructions;
  std::uint64_t a = 0, b = 0, c = 0;
  std::uint64_t result = 0;
  unsigned bits = 32;
};

std::uint64_t evaluate(const computed& one) {
  const program p(fmt::format(R"(
.version 8.0
.entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c)
{{
	.reg .pred %p, %q;
	.reg .b64 %out, %a, %b, %c, %d, %s, %t;
	.reg .b128 %w;
	ld.param.u64 %out, [out];
	ld.param.u64 %a, [a];
	ld.param.u64 %b, [b];
	ld.param.u64 %c, [c];
	{}
	st.global.u64 [%out], %d;
	ret;
}})",
                              one.instructions));
  words<std::uint64_t> out(1);
  p.run("k", grid(1, 1), out.data(), one.a, one.b, one.c);
  return one.bits == 64 ? out[0] : out[0] & ((std::uint64_t{1} << one.bits) - 1);
}

void expect_all(std::initializer_list<computed> all) {
  for (const computed& one : all) {
    try {
      EXPECT_EQ(evaluate(one), one.result)
          << one.instructions << fmt::format(" of {:#x}, {:#x}, {:#x}", one.a, one.b, one.c);
    } catch (const std::exception& problem) {
      ADD_FAILURE() << one.instructions << ": " << problem.what();
    }
  }
}

std::uint64_t f(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
std::uint64_t d(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
std::uint64_t minus(std::int64_t value) {
  return static_cast<std::uint64_t>(-value);
}
const float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint64_t low = 0xffffffff;

}  // namespace

TEST(ptx_arithmetic, of_integers) {
  expect_all({
      {"add.s32 %d, %a, %b;", 0x7fffffff, 1, 0, 0x80000000},
      {"add.u16 %d, %a, %b;", 0xffff, 2, 0, 1, 16},
      {"add.sat.s32 %d, %a, %b;", 0x7fffffff, 1, 0, 0x7fffffff},
      {"sub.s64 %d, %a, %b;", 3, 5, 0, minus(2), 64},
      {"sub.sat.s32 %d, %a, %b;", 0x80000000, 1, 0, 0x80000000},
      {"add.cc.u32 %s, %a, %b; addc.u32 %d, %c, 0;", low, 1, 4, 5},
      {"sub.cc.u32 %s, %a, %b; subc.u32 %d, %c, 0;", 0, 1, 4, 3},
      {"add.cc.u64 %s, %a, %b; addc.cc.u64 %d, %c, 1;", ~0ull, 1, 4, 6, 64},
      {"mul.lo.s32 %d, %a, %b;", minus(3), 5, 0, minus(15) & low},
      {"mul.lo.u16 %d, %a, %b;", 0xffff, 0xffff, 0, 1, 16},
      {"mul.hi.u32 %d, %a, %b;", low, low, 0, 0xfffffffe},
      {"mul.hi.s32 %d, %a, %b;", low, 2, 0, low},
      {"mul.hi.u64 %d, %a, %b;", ~0ull, 2, 0, 1, 64},
      {"mul.wide.s32 %d, %a, %b;", low, 5, 0, minus(5), 64},
      {"mul.wide.u32 %d, %a, %b;", low, 5, 0, 5 * low, 64},
      {"mul.wide.u16 %d, %a, %b;", 0xffff, 0xffff, 0, 0xfffe0001},
      {"mad.lo.s32 %d, %a, %b, %c;", 3, 4, 5, 17},
      {"mad.hi.u32 %d, %a, %b, %c;", low, low, 1, low},
      {"mad.wide.s32 %d, %a, %b, %c;", low, 1, 1ull << 40, (1ull << 40) - 1, 64},
      {"div.s32 %d, %a, %b;", minus(7), 2, 0, minus(3) & low},
      {"div.u32 %d, %a, %b;", 7, 0, 0, low},
      {"div.s32 %d, %a, %b;", 0x80000000, low, 0, 0x80000000},
      {"rem.s32 %d, %a, %b;", minus(7), 2, 0, low},
      {"rem.u64 %d, %a, %b;", 7, 0, 0, ~0ull, 64},
      {"rem.s64 %d, %a, %b;", 1ull << 63, ~0ull, 0, 0, 64},
      {"min.s32 %d, %a, %b;", low, 1, 0, low},
      {"min.u32 %d, %a, %b;", low, 1, 0, 1},
      {"max.s64 %d, %a, %b;", ~0ull, 1, 0, 1, 64},
      {"neg.s32 %d, %a;", 0x80000000, 0, 0, 0x80000000},
      {"abs.s32 %d, %a;", minus(9), 0, 0, 9},
      {"sad.u32 %d, %a, %b, %c;", 3, 10, 1, 8},
      {"dp4a.s32.s32 %d, %a, %b, %c;", 0xff02, 0x0304, 1, 6},
      {"dp4a.u32.u32 %d, %a, %b, %c;", 0xff02, 0x0304, 1, 774},
  });
}

TEST(ptx_arithmetic, of_bits) {
  expect_all({
      {"and.b32 %d, %a, -8;", 0xff, 0, 0, 0xf8},
      {"or.b64 %d, %a, %b;", 1, 1ull << 60, 0, (1ull << 60) + 1, 64},
      {"xor.b32 %d, %a, %b;", 6, 3, 0, 5},
      {"not.b16 %d, %a;", 1, 0, 0, 0xfffe, 16},
      {"cnot.b32 %d, %a;", 0, 0, 0, 1},
      {"lop3.b32 %d, %a, %b, %c, 0x96;", 1, 3, 7, 5},
      {"shl.b32 %d, %a, %b;", 3, 31, 0, 0x80000000},
      {"shl.b32 %d, %a, %b;", 3, 32, 0, 0},
      {"shr.u32 %d, %a, %b;", 0x80000000, 33, 0, 0},
      {"shr.s32 %d, %a, %b;", 0x80000000, 99, 0, low},
      {"shr.s64 %d, %a, %b;", 1ull << 63, 62, 0, minus(2), 64},
      {"shf.l.wrap.b32 %d, %a, %b, %c;", 0x80000000, 1, 33, 3},
      {"shf.r.wrap.b32 %d, %a, %b, %c;", 2, 1, 1, 0x80000001},
      {"shf.r.clamp.b32 %d, %a, %b, %c;", 2, 1, 40, 1},
      {"shf.l.clamp.b32 %d, %a, %b, %c;", 2, 1, 40, 2},
      {"bfe.u32 %d, %a, %b, %c;", 0xabcd, 4, 8, 0xbc},
      {"bfe.s32 %d, %a, %b, %c;", 0xabcd, 4, 8, 0xffffffbc},
      {"bfe.s32 %d, %a, %b, %c;", 0x80000000, 28, 8, 0xfffffff8},
      {"bfe.u64 %d, %a, %b, %c;", ~0ull, 0, 64, ~0ull, 64},
      {"bfe.u32 %d, %a, %b, %c;", low, 40, 4, 0},
      {"bfi.b32 %d, %a, %b, 4, 8;", 0xff, 0, 0, 0xff0},
      {"bfi.b32 %d, %a, %b, 40, 8;", 0xff, 3, 0, 3},
      {"bfind.u32 %d, %a;", 0x100, 0, 0, 8},
      {"bfind.s32 %d, %a;", minus(2), 0, 0, 0},
      {"bfind.shiftamt.u32 %d, %a;", 0x100, 0, 0, 23},
      {"bfind.u32 %d, %a;", 0, 0, 0, low},
      {"bmsk.clamp.b32 %d, %a, %b;", 4, 40, 0, 0xfffffff0},
      {"bmsk.wrap.b32 %d, %a, %b;", 36, 4, 0, 0xf0},
      {"brev.b32 %d, %a;", 1, 0, 0, 0x80000000},
      {"clz.b32 %d, %a;", 0, 0, 0, 32},
      {"clz.b64 %d, %a;", 1, 0, 0, 63},
      {"popc.b64 %d, %a;", ~0ull, 0, 0, 64},
      {"prmt.b32 %d, %a, %b, %c;", 0x33221100, 0x77665544, 0x7531, 0x77553311},
      {"prmt.b32 %d, %a, %b, %c;", 0x80, 0, 0x8, 0x808080ff},
      {"mov.b64 %d, {%a, %b};", 1, 2, 0, 0x200000001, 64},
      {"mov.b64 {%s, %d}, %a;", 0x500000004, 0, 0, 5},
      {"mov.b32 {%s, %d}, %a;", 0x50004, 0, 0, 5},
      {"mov.b128 %w, {%a, %b}; mov.b128 {%s, %d}, %w;", 1, 7, 0, 7, 64},
      {"setp.lt.s32 %p, %a, %b; selp.b32 %d, 4, 5, %p;", low, 0, 0, 4},
      {"slct.b32.s32 %d, %a, %b, %c;", 1, 2, low, 2},
  });
}

TEST(ptx_arithmetic, of_comparisons) {
  const auto chosen = [](const std::string& comparison) {
    return comparison + " selp.u32 %d, 1, 0, %p;";
  };
  expect_all({
      {chosen("setp.lt.u32 %p, %a, %b;"), low, 0, 0, 0},
      {chosen("setp.lo.s32 %p, %a, %b;"), low, 0, 0, 0},
      {chosen("setp.eq.s64 %p, %a, %b;"), 5, 5, 0, 1},
      {chosen("setp.ge.f32 %p, %a, %b;"), f(1), f(1), 0, 1},
      {chosen("setp.ne.f32 %p, %a, %b;"), f(nan), f(1), 0, 0},
      {chosen("setp.neu.f32 %p, %a, %b;"), f(nan), f(1), 0, 1},
      {chosen("setp.geu.f32 %p, %a, %b;"), f(nan), f(1), 0, 1},
      {chosen("setp.num.f32 %p, %a, %b;"), f(nan), f(1), 0, 0},
      {chosen("setp.nan.f64 %p, %a, %b;"), d(nan), d(1), 0, 1},
      {chosen("setp.eq.s32 %q, 0, 0; setp.lt.and.s32 %p, %a, %b, %q;"), 1, 2, 0, 1},
      {chosen("setp.eq.s32 %q, 0, 0; setp.lt.and.s32 %p, %a, %b, !%q;"), 1, 2, 0, 0},
      {chosen("setp.lt.s32 %q|%p, %a, %b;"), 1, 2, 0, 0},
      {chosen("setp.lt.s32 %p, %a, %b; not.pred %p, %p;"), 1, 2, 0, 0},
      {"set.lt.u32.s32 %d, %a, %b;", 1, 2, 0, low},
      {"set.lt.f32.s32 %d, %a, %b;", 1, 2, 0, f(1)},
      {chosen("testp.infinite.f32 %p, %a;"), f(INFINITY), 0, 0, 1},
      {"mov.u32 %d, 3; setp.lt.s32 %p, %a, %b; @%p mov.u32 %d, 4;", 1, 2, 0, 4},
      {"mov.u32 %d, 3; setp.lt.s32 %p, %a, %b; @!%p mov.u32 %d, 4;", 1, 2, 0, 3},
  });
}

TEST(ptx_arithmetic, of_real_numbers) {
  expect_all({
      {"add.f32 %d, %a, %b;", f(1.5f), f(2), 0, f(3.5f)},
      {"add.rz.f32 %d, %a, %b;", f(1), f(0x1p-24f), 0, f(1)},
      {"add.rp.f32 %d, %a, %b;", f(1), f(0x1p-40f), 0, f(1 + 0x1p-23f)},
      {"sub.rm.f64 %d, %a, %b;", d(1), d(0x1p-80), 0, d(1 - 0x1p-53), 64},
      {"mul.ftz.f32 %d, %a, %b;", f(0x1p-130f), f(1), 0, 0},
      {"add.sat.f32 %d, %a, %b;", f(1), f(2), 0, f(1)},
      {"fma.rn.f32 %d, %a, %b, %c;", f(2), f(3), f(4), f(10)},
      {"div.rn.f32 %d, %a, %b;", f(1), f(4), 0, f(0.25f)},
      {"rcp.approx.ftz.f32 %d, %a;", f(4), 0, 0, f(0.25f)},
      {"sqrt.rn.f64 %d, %a;", d(2), 0, 0, d(std::sqrt(2.0)), 64},
      {"ex2.approx.f32 %d, %a;", f(3), 0, 0, f(8)},
      {"lg2.approx.f32 %d, %a;", f(8), 0, 0, f(3)},
      {"neg.f32 %d, %a;", f(3), 0, 0, f(-3)},
      {"abs.f64 %d, %a;", d(-3), 0, 0, d(3), 64},
      {"min.f32 %d, %a, %b;", f(nan), f(2), 0, f(2)},
      {"min.f32 %d, %a, %b;", f(0), f(-0.0f), 0, f(-0.0f)},
      {"max.NaN.f32 %d, %a, %b;", f(nan), f(2), 0, f(nan)},
      {"copysign.f32 %d, %a, %b;", f(-1), f(2), 0, f(-2)},
      {"mov.f32 %s, 0f40000000; add.f32 %d, %s, 0f3F800000;", 0, 0, 0, f(3)},
      {"add.f16 %d, %a, %b;", 0x3c00, 0x4000, 0, 0x4200, 16},
      {"fma.rn.bf16x2 %d, %a, %b, %c;", 0x40003f80, 0x40003f80, 0x3f803f80, 0x40a04000},
  });
}

TEST(ptx_arithmetic, of_conversions) {
  expect_all({
      {"cvt.u64.u32 %d, %a;", ~0ull, 0, 0, low, 64},
      {"cvt.s64.s32 %d, %a;", low, 0, 0, ~0ull, 64},
      {"cvt.u32.u16 %d, %a;", 0x12345, 0, 0, 0x2345},
      {"cvt.s32.s8 %d, %a;", 0x80, 0, 0, 0xffffff80},
      {"cvt.sat.u8.s32 %d, %a;", minus(5), 0, 0, 0},
      {"cvt.sat.s8.s32 %d, %a;", 300, 0, 0, 127},
      {"cvt.rzi.s32.f32 %d, %a;", f(-2.7f), 0, 0, minus(2) & low},
      {"cvt.rni.s32.f32 %d, %a;", f(2.5f), 0, 0, 2},
      {"cvt.rmi.s32.f32 %d, %a;", f(-2.1f), 0, 0, minus(3) & low},
      {"cvt.rzi.u32.f32 %d, %a;", f(-1), 0, 0, 0},
      {"cvt.rzi.s32.f32 %d, %a;", f(1e20f), 0, 0, 0x7fffffff},
      {"cvt.rzi.s32.f32 %d, %a;", f(nan), 0, 0, 0},
      {"cvt.rn.f32.s32 %d, %a;", minus(7), 0, 0, f(-7)},
      {"cvt.f64.f32 %d, %a;", f(1.5f), 0, 0, d(1.5), 64},
      {"cvt.rn.f32.f64 %d, %a;", d(1.5), 0, 0, f(1.5f)},
      {"cvt.rpi.f32.f32 %d, %a;", f(1.2f), 0, 0, f(2)},
      {"cvt.sat.f32.f32 %d, %a;", f(-1), 0, 0, 0},
      {"cvt.rn.f16.f32 %d, %a;", f(65504), 0, 0, 0x7bff, 16},
      {"cvt.rn.f16.f32 %d, %a;", f(0x1p-24f), 0, 0, 1, 16},
      {"cvt.rn.f16.f32 %d, %a;", f(1e6f), 0, 0, 0x7c00, 16},
      {"cvt.f32.f16 %d, %a;", 0x3555, 0, 0, f(0.333251953125f)},
      {"cvt.f32.f16 %d, %a;", 0x0001, 0, 0, f(0x1p-24f)},
      {"cvt.rn.bf16.f32 %d, %a;", f(1.00390625f), 0, 0, 0x3f80, 16},
      {"cvt.rn.f16x2.f32 %d, %a, %b;", f(1), f(2), 0, 0x3c004000},
  });
}

TEST(ptx_arithmetic, of_special_registers) {
  const program p(R"(
.version 8.0
.entry k(.param .u64 out)
{
	.reg .b32 %r<20>;
	.reg .b64 %a<4>;
	ld.param.u64 %a1, [out];
	mov.u32 %r1, %tid.x;
	mad.lo.s32 %r2, %ctaid.x, %ntid.x, %r1;
	mul.wide.u32 %a2, %r2, 16;
	add.s64 %a1, %a1, %a2;
	mov.u32 %r3, %laneid;
	mov.u32 %r4, %warpid;
	mov.u32 %r5, %lanemask_lt;
	add.u32 %r6, WARP_SZ, %nctaid.x;
	st.global.v4.u32 [%a1], {%r3, %r4, %r5, %r6};
	ret;
})");
  words<std::uint32_t> out(2 * 40 * 4);
  p.run("k", grid(2, 40), out.data());
  const std::uint32_t* const last = &out[(40 + 39) * 4];
  EXPECT_EQ(std::vector<std::uint32_t>(last, last + 4),
            (std::vector<std::uint32_t>{7, 1, 0x7f, 34}));
}

}  // namespace ptx_test
