// Comparisons, conversions between types, moves.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/domains.hpp>

namespace ptx_opcodes {

namespace {

using names = std::vector<std::string>;

const names integer_types = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
const names real_types = {"f16", "bf16", "f32", "f64"};
const names ordered_comparisons = {"eq", "ne", "lt", "le", "gt", "ge"};
const names unsigned_comparisons = {"lo", "ls", "hi", "hs"};
const names unordered_comparisons = {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

names joined(names first, const names& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

names comparisons_of(const std::string& type) {
  if (type[0] == 'b') return {"eq", "ne"};
  if (type[0] == 'f') return joined(ordered_comparisons, unordered_comparisons);
  if (type[0] == 'u') return joined(ordered_comparisons, unsigned_comparisons);
  return ordered_comparisons;
}

/// The register that a result of the type has; narrower ones show how bits above are filled.
width register_of(const std::string& type) {
  return of_type(type).of;
}

bool is_real(const std::string& type) {
  return format_of(type) != real_format::none;
}

/// Where ptxas takes .sat: from integers that may not fit, and not with .bf16.
bool may_saturate(const std::string& to, const std::string& from) {
  if (is_real(to)) return to != "bf16" && from != "bf16";
  if (to[0] == from[0]) return bytes_of(to) < bytes_of(from);
  return to[0] == 'u' || bytes_of(to) <= bytes_of(from);
}

void add_conversion(std::vector<opcode_case>& all, const std::string& modifiers,
                    const std::string& to, const std::string& from) {
  if (modifiers.find(".sat") != std::string::npos && !may_saturate(to, from)) return;
  const bool has_byte = bytes_of(to) == 1 || bytes_of(from) == 1;
  if (has_byte && (to == "bf16" || from == "bf16")) return;
  const tolerance open{to == "f64" ? real_format::none : format_of(to)};
  all.push_back(computation(fmt::format("cvt{}.{}.{}", modifiers, to, from), register_of(to),
                            {of_type(from)}, open));
}

}  // namespace

std::vector<opcode_case> comparison_cases() {
  std::vector<opcode_case> all;
  const domain truth = of_type("pred");
  for (const std::string type :
       {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"}) {
    const domain of = of_type(type);
    for (const std::string& how : comparisons_of(type)) {
      const std::string name = fmt::format("setp.{}.{}", how, type);
      all.push_back(with_body(name, name + " %w|%x, %a, %b;", {width::predicate, width::predicate},
                              {of, of}));
      if (type == "f32") {
        const std::string flushed = fmt::format("setp.{}.ftz.f32", how);
        all.push_back(computation(flushed, width::predicate, {of, of}));
      }
      if (type[1] == '1') continue;  // set takes 16 bits, too, but few compilers write that
      for (const std::string to : {"u32", "s32", "f32"}) {
        if (to == "s32" && type != "s32") continue;
        all.push_back(
            computation(fmt::format("set.{}.{}.{}", how, to, type), width::bits32, {of, of}));
      }
    }
    const std::string how = comparisons_of(type).back();
    for (const char* join : {"and", "or", "xor"}) {
      const std::string name = fmt::format("setp.{}.{}.{}", how, join, type);
      all.push_back(with_body(name, name + " %w|%x, %a, %b, %c;",
                              {width::predicate, width::predicate}, {of, of, truth}));
      all.push_back(with_body(name + ".negated", name + " %w|%x, %a, %b, !%c;",
                              {width::predicate, width::predicate}, {of, of, truth}));
    }
  }
  for (const char* join : {"and", "or", "xor"}) {
    all.push_back(computation(fmt::format("set.lt.{}.u32.s32", join), width::bits32,
                              {of_type("s32"), of_type("s32"), truth}));
  }
  return all;
}

std::vector<opcode_case> conversion_cases() {
  std::vector<opcode_case> all;
  for (const std::string& to : integer_types) {
    for (const std::string& from : integer_types) {
      add_conversion(all, "", to, from);
      add_conversion(all, ".sat", to, from);
    }
    for (const std::string& from : real_types) {
      for (const char* how : {".rni", ".rzi", ".rmi", ".rpi"}) add_conversion(all, how, to, from);
      if (from == "f32") add_conversion(all, ".rzi.ftz", to, from);
    }
  }
  for (const std::string& to : real_types) {
    for (const std::string& from : integer_types)
      for (const char* how : {".rn", ".rz", ".rm", ".rp"}) add_conversion(all, how, to, from);
    for (const std::string& from : real_types) {
      if (to == from) {
        for (const char* how : {"", ".rni", ".rzi", ".rmi", ".rpi", ".sat", ".rni.sat"})
          add_conversion(all, how, to, from);
        if (to == "f32")
          for (const char* how : {".ftz", ".rni.ftz", ".ftz.sat"})
            add_conversion(all, how, to, from);
      } else if (bytes_of(to) > bytes_of(from)) {
        add_conversion(all, "", to, from);
        add_conversion(all, ".sat", to, from);
        if (from == "f32" || to == "f32") add_conversion(all, ".ftz", to, from);
      } else {
        for (const char* how : {".rn", ".rz", ".rm", ".rp"}) {
          add_conversion(all, how, to, from);
          add_conversion(all, std::string(how) + ".sat", to, from);
          if (from == "f32" || to == "f32")
            add_conversion(all, std::string(how) + ".ftz", to, from);
        }
        if (from == "f32") add_conversion(all, ".rn.relu", to, from);
      }
    }
  }
  const domain single = of_type("f32");
  for (const char* to : {"f16x2", "bf16x2"}) {
    for (const char* how : {".rn", ".rz", ".rn.relu", ".rz.relu"}) {
      all.push_back(computation(fmt::format("cvt{}.{}.f32", how, to), width::bits32,
                                {single, single}, {format_of(to)}));
    }
  }
  all.push_back(computation("cvt.rna.tf32.f32", width::bits32, {single}, {real_format::f32}));

  for (const std::string type :
       {"pred", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"}) {
    all.push_back(computation("mov." + type, of_type(type).of, {of_type(type)}));
  }
  const domain b16 = of_type("b16"), b32 = of_type("b32"), b64 = of_type("b64");
  const auto add = [&](const char* name, const char* body, std::vector<width> results,
                       const std::vector<domain>& operands) {
    all.push_back(with_body(name, body, std::move(results), operands));
  };
  using enum width;
  add("mov.b32.pack2", "mov.b32 %w, {%a, %b};", {bits32}, {b16, b16});
  add("mov.b32.unpack2", "mov.b32 {%w, %x}, %a;", {bits16, bits16}, {b32});
  add("mov.b64.pack2", "mov.b64 %w, {%a, %b};", {bits64}, {b32, b32});
  add("mov.b64.unpack2", "mov.b64 {%w, %x}, %a;", {bits32, bits32}, {b64});
  add("mov.b64.pack4", "mov.b64 %w, {%a, %b, %c, %d};", {bits64}, {b16, b16, b16, b16});
  add("mov.b64.unpack4", "mov.b64 {%w, %x, %y, %z}, %a;", {bits16, bits16, bits16, bits16}, {b64});
  add("mov.b64.unpack_high", "mov.b64 {_, %w}, %a;", {bits32}, {b64});
  add("mov.b128",
      ".reg .b128 %m, %n; mov.b128 %m, {%a, %b}; mov.b128 %n, %m; "
      "mov.b128 {%w, %x}, %n;",
      {bits64, bits64}, {b64, b64});
  add("mov.b32.immediate",
      "mov.b32 %w, -7; mov.b32 %x, 0xfedcba98; mov.b32 %y, 0f3FC00000; mov.b32 %z, 0b101;",
      {bits32, bits32, bits32, bits32}, {});
  add("mov.b64.immediate",
      "mov.b64 %w, -7; mov.b64 %x, 0xfedcba9876543210; mov.f64 %y, 0d3FF8000000000000; "
      "mov.u64 %z, 0777;",
      {bits64, bits64, bits64, bits64}, {});
  return all;
}

}  // namespace ptx_opcodes
