// Arithmetic of real numbers. NaNs: the manual leaves the payload open, but for .f64.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/domains.hpp>

#include <cmath>

namespace ptx_opcodes {

namespace {

using names = std::vector<std::string>;

const names directions = {"", ".rn", ".rz", ".rm", ".rp"};
const names given_directions = {".rn", ".rz", ".rm", ".rp"};
const names half_types = {"f16", "f16x2", "bf16", "bf16x2"};

tolerance open_in(const std::string& type) {
  return {.format = type == "f64" ? real_format::none : format_of(type)};
}

/// `name` followed by each of the modifiers and the type, of one type in and out.
void add_uniform(std::vector<opcode_case>& all, const std::string& name, const names& modifiers,
                 const std::string& type, std::size_t operands) {
  const domain of = of_type(type);
  for (const std::string& modifier : modifiers) {
    all.push_back(computation(fmt::format("{}{}.{}", name, modifier, type), of.of,
                              std::vector<domain>(operands, of), open_in(type)));
  }
}

/// Each of the first followed by each of the second.
names products(const names& first, const names& second) {
  names all;
  for (const std::string& one : first)
    for (const std::string& other : second) all.push_back(one + other);
  return all;
}

}  // namespace

std::vector<opcode_case> real_cases() {
  std::vector<opcode_case> all;
  const names adjusted = {"", ".ftz", ".sat", ".ftz.sat"};
  for (const char* name : {"add", "sub", "mul"}) {
    add_uniform(all, name, products(directions, adjusted), "f32", 2);
    add_uniform(all, name, directions, "f64", 2);
    for (const char* type : {"f16", "f16x2"})
      add_uniform(all, name, {"", ".rn", ".ftz", ".sat", ".ftz.sat"}, type, 2);
    for (const char* type : {"bf16", "bf16x2"}) add_uniform(all, name, {"", ".rn"}, type, 2);
  }
  for (const char* name : {"fma", "mad"}) {
    add_uniform(all, name, products(given_directions, adjusted), "f32", 3);
    add_uniform(all, name, given_directions, "f64", 3);
  }
  for (const char* type : {"f16", "f16x2"})
    add_uniform(all, "fma",
                {".rn", ".rn.ftz", ".rn.sat", ".rn.ftz.sat", ".rn.relu", ".rn.ftz.relu"}, type, 3);
  for (const char* type : {"bf16", "bf16x2"}) add_uniform(all, "fma", {".rn", ".rn.relu"}, type, 3);

  const names rounded_or_flushed = products(given_directions, {"", ".ftz"});
  add_uniform(all, "div", rounded_or_flushed, "f32", 2);
  add_uniform(all, "div", given_directions, "f64", 2);
  for (const char* name : {"rcp", "sqrt"}) {
    add_uniform(all, name, rounded_or_flushed, "f32", 1);
    add_uniform(all, name, given_directions, "f64", 1);
  }
  for (const char* name : {"neg", "abs"}) {
    add_uniform(all, name, {"", ".ftz"}, "f32", 1);
    add_uniform(all, name, {""}, "f64", 1);
    for (const char* type : {"f16", "f16x2"}) add_uniform(all, name, {"", ".ftz"}, type, 1);
    for (const char* type : {"bf16", "bf16x2"}) add_uniform(all, name, {""}, type, 1);
  }
  for (const char* name : {"min", "max"}) {
    add_uniform(all, name, products({"", ".ftz"}, {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"}),
                "f32", 2);
    add_uniform(all, name, {""}, "f64", 2);
    for (const char* type : {"f16", "f16x2"})
      add_uniform(all, name, products({"", ".ftz"}, {"", ".NaN"}), type, 2);
    for (const char* type : {"bf16", "bf16x2"}) add_uniform(all, name, {"", ".NaN"}, type, 2);
  }
  for (const char* type : {"f32", "f64"}) {
    const domain of = of_type(type);
    all.push_back(computation(fmt::format("copysign.{}", type), of.of, {of, of}));
    for (const char* what : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
      all.push_back(computation(fmt::format("testp.{}.{}", what, type), width::predicate, {of}));
    }
  }
  return all;
}

/// The bounds are those that the PTX manual states for each instruction.
std::vector<opcode_case> approximate_cases() {
  std::vector<opcode_case> all;
  const auto add = [&](const std::string& name, const std::string& type,
                       const std::vector<domain>& operands, double relative, double absolute) {
    all.push_back(computation(fmt::format("{}.{}", name, type), operands.front().of, operands,
                              {format_of(type), relative, absolute}));
  };
  const domain single = of_type("f32"), real = of_type("f64");
  const double two_units = std::ldexp(1, -22), one_unit = std::ldexp(1, -23);
  for (const std::string flush : {"", ".ftz"}) {
    add("div.full" + flush, "f32", {single, single}, two_units, 0);
    add("div.approx" + flush, "f32", {single, single}, two_units, 0);
    add("rcp.approx" + flush, "f32", {single}, one_unit, 0);
    add("sqrt.approx" + flush, "f32", {single}, one_unit, 0);
    add("rsqrt.approx" + flush, "f32", {single}, std::exp2(-22.9), 0);
    add("ex2.approx" + flush, "f32", {single}, std::exp2(-22.5), 0);
    add("lg2.approx" + flush, "f32", {single}, two_units, two_units);
  }
  // The manual bounds the error of sin and cos within 100 pi.
  domain angles = only(width::bits32, {});
  for (const std::uint64_t edge : single.edges) {
    const std::uint64_t size = edge & 0x7fffffff;
    if (size <= 0x439d0000 || size >= 0x7f800000) angles.edges.push_back(edge);
  }
  for (const std::uint64_t more : {0x3fc90fdb, 0x40c90fdb, 0x3f490fdb, 0x40490fdb, 0x4096cbe4}) {
    angles.edges.push_back(more);
    angles.edges.push_back(more | 0x80000000);
  }
  domain small = angles, large = only(width::bits32, {});
  std::erase_if(small.edges, [](std::uint64_t edge) {
    return (edge & 0x7fffffff) > 0x40c90fdb && (edge & 0x7fffffff) < 0x7f800000;
  });
  large.edges = {0x41200000, 0xc1200000, 0x42c88000, 0xc2c88000,
                 0x42480000, 0x439d0000, 0xc39d0000};
  for (const std::string name : {"sin", "cos"}) {
    for (const std::string flush : {"", ".ftz"}) {
      add(name + ".approx" + flush, "f32", {small}, 0, std::exp2(-20.5));
      opcode_case far = computation(name + ".approx" + flush + ".f32", width::bits32, {large},
                                    {real_format::f32, 0, std::exp2(-14.7)});
      far.name += ".beyond_2pi";
      all.push_back(std::move(far));
    }
  }
  add("tanh.approx", "f32", {single}, std::ldexp(1, -11), 0);
  add("tanh.approx", "f16", {of_type("f16")}, 0, std::exp2(-10.987));
  add("tanh.approx", "f16x2", {of_type("f16x2")}, 0, std::exp2(-10.987));
  add("tanh.approx", "bf16", {of_type("bf16")}, 0, std::ldexp(1, -8));
  add("tanh.approx", "bf16x2", {of_type("bf16x2")}, 0, std::ldexp(1, -8));
  add("ex2.approx", "f16", {of_type("f16")}, std::exp2(-9.9), 0);
  add("ex2.approx", "f16x2", {of_type("f16x2")}, std::exp2(-9.9), 0);
  add("ex2.approx.ftz", "bf16", {of_type("bf16")}, std::ldexp(1, -7), 0);
  add("ex2.approx.ftz", "bf16x2", {of_type("bf16x2")}, std::ldexp(1, -7), 0);
  add("rsqrt.approx", "f64", {real}, std::exp2(-22.9), 0);
  // Of these the manual says: the upper 32 bits of the result, a gross approximation.
  add("rcp.approx.ftz", "f64", {real}, std::ldexp(1, -19), 0);
  add("rsqrt.approx.ftz", "f64", {real}, std::ldexp(1, -19), 0);
  return all;
}

}  // namespace ptx_opcodes
