// Arithmetic of integers, logic, shifts, bit fields.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/domains.hpp>

namespace ptx_opcodes {

namespace {

constexpr std::array all_types = {"u16", "s16", "u32", "s32", "u64", "s64"};
constexpr std::array long_types = {"u32", "s32", "u64", "s64"};
constexpr std::array bit_types = {"b16", "b32", "b64"};

width doubled(width of) {
  return of == width::bits16 ? width::bits32 : width::bits64;
}

/// Carries in and out: %q says whether the instruction begins with a carry.
void add_carries(std::vector<opcode_case>& all, const char* type) {
  const domain of = of_type(type);
  const std::string is_wide = of.of == width::bits64 ? "64" : "32";
  const std::vector<domain> operands = {of, of, only(width::bits32, {0, 0xffffffff})};
  const std::string zero = of.of == width::bits64 ? "%l7" : "%r7";
  for (const auto& [name, sets] : {std::pair("addc", "add"), std::pair("subc", "sub")}) {
    // %c is 0 or all ones: 1 + ones carries, 0 - ones borrows.
    const std::string before =
        fmt::format("{}.cc.u32 %r6, {}, %c;", sets, std::string_view(sets) == "add" ? "1" : "0");
    const std::string after = fmt::format(" addc.u32 %x, 0, 0;");
    all.push_back(with_body(fmt::format("{}.{}", name, type),
                            fmt::format("{} {}.{} %w, %a, %b;", before, name, type), {of.of},
                            operands));
    all.push_back(with_body(fmt::format("{}.cc.{}", name, type),
                            fmt::format("{} {}.cc.{} %w, %a, %b;{}", before, name, type, after),
                            {of.of, width::bits32}, operands));
    all.push_back(with_body(fmt::format("{}.cc.{}", sets, type),
                            fmt::format("{}.cc.{} %w, %a, %b;{}", sets, type, after),
                            {of.of, width::bits32}, {of, of}));
  }
}

}  // namespace

std::vector<opcode_case> integer_cases() {
  std::vector<opcode_case> all;
  for (const std::string type : all_types) {
    const domain of = of_type(type);
    for (const char* name : {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"})
      all.push_back(computation(fmt::format("{}.{}", name, type), of.of, {of, of}));
    for (const char* name : {"mad.lo", "mad.hi", "sad"})
      all.push_back(computation(fmt::format("{}.{}", name, type), of.of, {of, of, of}));
    if (of.of != width::bits64) {
      const width wide = doubled(of.of);
      const domain sum = of_type(wide == width::bits32 ? "u32" : "u64");
      all.push_back(computation("mul.wide." + type, wide, {of, of}));
      all.push_back(computation("mad.wide." + type, wide, {of, of, sum}));
    }
    if (type[0] == 's')
      for (const char* name : {"neg", "abs"})
        all.push_back(computation(fmt::format("{}.{}", name, type), of.of, {of}));
  }
  const domain word = of_type("u32");
  all.push_back(computation("add.sat.s32", width::bits32, {word, word}));
  all.push_back(computation("sub.sat.s32", width::bits32, {word, word}));
  for (const char* type : long_types) add_carries(all, type);
  for (const char* a : {"u32", "s32"}) {
    for (const char* b : {"u32", "s32"}) {
      all.push_back(
          computation(fmt::format("dp4a.{}.{}", a, b), width::bits32, {word, word, word}));
    }
  }
  return all;
}

std::vector<opcode_case> bit_cases() {
  std::vector<opcode_case> all;
  const domain truth = of_type("pred"), word = of_type("b32"), by = distances();
  for (const std::string type : {"pred", "b16", "b32", "b64"}) {
    const domain of = of_type(type);
    for (const char* name : {"and", "or", "xor"})
      all.push_back(computation(fmt::format("{}.{}", name, type), of.of, {of, of}));
    all.push_back(computation("not." + type, of.of, {of}));
  }
  for (const std::string type : bit_types) {
    const domain of = of_type(type);
    all.push_back(computation("cnot." + type, of.of, {of}));
    all.push_back(computation("shl." + type, of.of, {of, by}));
    all.push_back(computation("shr." + type, of.of, {of, by}));
  }
  for (const std::string type : all_types) {
    const domain of = of_type(type);
    all.push_back(computation("shr." + type, of.of, {of, by}));
    all.push_back(computation("selp." + type, of.of, {of, of, truth}));
  }
  for (const std::string type : {"b16", "b32", "b64", "f32", "f64"}) {
    const domain of = of_type(type);
    all.push_back(computation("selp." + type, of.of, {of, of, truth}));
  }
  for (const std::string type : long_types) {
    const domain of = of_type(type);
    all.push_back(computation("bfe." + type, of.of, {of, by, by}));
    all.push_back(computation("bfind." + type, width::bits32, {of}));
    all.push_back(computation("bfind.shiftamt." + type, width::bits32, {of}));
  }
  for (const std::string type : {"b32", "b64"}) {
    const domain of = of_type(type);
    all.push_back(computation("bfi." + type, of.of, {of, of, by, by}));
    all.push_back(computation("brev." + type, of.of, {of}));
    all.push_back(computation("clz." + type, width::bits32, {of}));
    all.push_back(computation("popc." + type, width::bits32, {of}));
  }
  for (const char* how : {"l.wrap", "l.clamp", "r.wrap", "r.clamp"})
    all.push_back(computation(fmt::format("shf.{}.b32", how), width::bits32, {word, word, by}));
  for (const char* how : {"clamp", "wrap"})
    all.push_back(computation(fmt::format("bmsk.{}.b32", how), width::bits32, {by, by}));
  for (const unsigned table :
       {0x00u, 0x01u, 0x1eu, 0x3cu, 0x80u, 0x96u, 0xcau, 0xe8u, 0xf4u, 0xffu}) {
    all.push_back(with_body(fmt::format("lop3.b32.{:#04x}", table),
                            fmt::format("lop3.b32 %w, %a, %b, %c, {:#x};", table), {width::bits32},
                            {word, word, word}));
  }
  domain selectors = only(width::bits32, {0x3210, 0x7654, 0xba98, 0xfedc, 0x0123, 0x4567, 0x8888,
                                          0xffff, 0x1054, 0x76543210, 0xffff3210});
  selectors.is_any = true;
  all.push_back(computation("prmt.b32", width::bits32, {word, word, selectors}));
  for (const char* by_type : {"s32", "f32", "ftz.f32"}) {
    for (const std::string type : {"b16", "u32", "s64", "b64", "f32", "f64"}) {
      const std::string_view sign = by_type;
      const domain of = of_type(type);
      const bool flushes = sign == "ftz.f32";
      all.push_back(computation(
          fmt::format("slct.{}{}.{}", flushes ? "ftz." : "", type, flushes ? "f32" : by_type),
          of.of, {of, of, of_type(sign == "s32" ? "s32" : "f32")}));
    }
  }
  return all;
}

}  // namespace ptx_opcodes
