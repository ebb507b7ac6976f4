#include <tests/executor/ptx/opcodes/domains.hpp>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace ptx_opcodes {

namespace {

using edges = std::vector<std::uint64_t>;

constexpr std::size_t most_tuples = 96;
constexpr std::size_t random_values = 16;  ///< of a single operand

std::uint64_t cut(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

edges of_integers(unsigned bits) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const edges all = {0,
                     1,
                     ~std::uint64_t{0},
                     top,
                     top - 1,
                     2,
                     ~std::uint64_t{1},
                     3,
                     7,
                     10,
                     ~std::uint64_t{6},
                     0x5555555555555555,
                     0xaaaaaaaaaaaaaaaa,
                     top - 2,
                     top + 1,
                     100,
                     0x7f,
                     0x80,
                     0x81,
                     0xff,
                     0x100,
                     ~std::uint64_t{127},
                     ~std::uint64_t{128},
                     0x7fff,
                     0x8000,
                     0xffff,
                     0x10000,
                     ~std::uint64_t{0x7fff},
                     ~std::uint64_t{0x8000},
                     0x0123456789abcdef,
                     0xfedcba9876543210,
                     0xffffff,
                     0x1000001,
                     0x7fffffff,
                     0x80000000,
                     0xffffffff,
                     0x100000000,
                     0xffffffff7fffffff,
                     0xffffffff80000000,
                     0x20000000000001,
                     0x7fffffffffffff00};
  edges found;
  for (const std::uint64_t one : all) {
    const std::uint64_t value = cut(one, bits);
    if (std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
  }
  return found;
}

const edges singles = {
    0x3f800000, 0x80000000, 0x7f800000, 0x7fc00000, 0xbfc00000, 0x00000001, 0x7f7fffff, 0x00000000,
    0xff800000, 0xbf800000, 0x80000001, 0xff7fffff, 0x00800000, 0x007fffff, 0x80800000, 0x807fffff,
    0x7f800001, 0xffc12345, 0x3f000000, 0x3effffff, 0x3f000001, 0x3fc00000, 0x40000000, 0x40200000,
    0xbf000000, 0xc0200000, 0x40400000, 0x437f0000, 0x437f8000, 0x477fe000, 0x477ff000, 0x477fefff,
    0x4b7fffff, 0x4b800000, 0x4b800001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
    0x4f800000, 0x5f000000, 0x5effffff, 0xdf000000, 0x5f800000, 0x000116c2, 0x3eaaaaab, 0x40490fdb,
    0x7e800000, 0x7f000001, 0x42c88000, 0xc2c88000, 0x46ffff00, 0xc7000080, 0x42ff0000, 0xc3008000,
    0x3f7fffff, 0x3f808000, 0x3f818000, 0x3f801000, 0x3f803000, 0x33000000, 0x33000001, 0x33800000};

const edges doubles = {
    0x3ff0000000000000, 0x8000000000000000, 0x7ff0000000000000, 0x7ff8000000000000,
    0xbff8000000000000, 0x0000000000000001, 0x7fefffffffffffff, 0x0000000000000000,
    0xfff0000000000000, 0xbff0000000000000, 0x8000000000000001, 0xffefffffffffffff,
    0x0010000000000000, 0x000fffffffffffff, 0x8010000000000000, 0x800fffffffffffff,
    0x7ff0000000000001, 0xfff8123456789abc, 0x3fe0000000000000, 0x3fdfffffffffffff,
    0x3fe0000000000001, 0x3ff8000000000000, 0x4000000000000000, 0x4004000000000000,
    0xbfe0000000000000, 0xc004000000000000, 0x4008000000000000, 0x406fe00000000000,
    0x406ff00000000000, 0x40effc0000000000, 0x40effe0000000000, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000,
    0x41f0000000000000, 0x433fffffffffffff, 0x4340000000000000, 0x43e0000000000000,
    0x43dfffffffffffff, 0xc3e0000000000000, 0x43f0000000000000, 0x3fd5555555555555,
    0x400921fb54442d18, 0x47efffffe0000000, 0x47effffff0000000, 0x47f0000000000000,
    0x3810000000000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
    0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0000010000001, 0x40dfffe000000000,
    0xc0e0001000000000, 0x405fc00000000000, 0xc060100000000000, 0x3e60000000000000};

const edges halves = {0x3c00, 0x8000, 0x7c00, 0x7e00, 0xbe00, 0x0001, 0x7bff, 0x0000, 0xfc00,
                      0xbc00, 0x8001, 0xfbff, 0x0400, 0x03ff, 0x8400, 0x83ff, 0x7c01, 0xfe12,
                      0x3800, 0x37ff, 0x3801, 0x3e00, 0x4000, 0x4100, 0xb800, 0xc100, 0x4200,
                      0x5bf8, 0x5bfc, 0x5c00, 0x6400, 0x6800, 0x77ff, 0x7800, 0xf800, 0x3555,
                      0x4248, 0x5640, 0xd640, 0x3bff, 0x3c01, 0x1000, 0x0100, 0x57f0, 0xd810};

const edges brains = {0x3f80, 0x8000, 0x7f80, 0x7fc0, 0xbfc0, 0x0001, 0x7f7f, 0x0000, 0xff80,
                      0xbf80, 0x8001, 0xff7f, 0x0080, 0x007f, 0x8080, 0x807f, 0x7f81, 0xffc1,
                      0x3f00, 0x3eff, 0x3f01, 0x3fc0, 0x4000, 0x4020, 0xbf00, 0xc020, 0x4040,
                      0x437f, 0x4380, 0x477f, 0x4b00, 0x4b80, 0x4eff, 0x4f00, 0xcf00, 0x4f80,
                      0x5f00, 0xdf00, 0x5f80, 0x3eab, 0x4049, 0x42c8, 0xc2c8, 0x3f7f, 0x3f81};

edges pairs(const edges& of) {
  edges all;
  for (std::size_t i = 0; i < of.size(); ++i)
    all.push_back(of[i] | of[(5 * i + 3) % of.size()] << 16);
  return all;
}

}  // namespace

real_format format_of(std::string_view type) {
  using enum real_format;
  if (type == "f16") return f16;
  if (type == "bf16") return bf16;
  if (type == "f32") return f32;
  if (type == "f64") return f64;
  if (type == "f16x2") return f16x2;
  if (type == "bf16x2") return bf16x2;
  return none;
}

unsigned bytes_of(std::string_view type) {
  return static_cast<unsigned>(
             std::stoul(std::string(type.substr(type.find_first_of("0123456789"))))) /
         8;
}

domain of_type(std::string_view type) {
  switch (format_of(type)) {
    case real_format::f16:
      return {width::bits16, halves};
    case real_format::bf16:
      return {width::bits16, brains};
    case real_format::f32:
      return {width::bits32, singles};
    case real_format::f64:
      return {width::bits64, doubles};
    case real_format::f16x2:
      return {width::bits32, pairs(halves)};
    case real_format::bf16x2:
      return {width::bits32, pairs(brains)};
    case real_format::none:
      break;
  }
  if (type == "pred") return only(width::predicate, {0, 1});
  const std::string_view bits = type.substr(1);
  if (bits == "16") return {width::bits16, of_integers(16)};
  if (bits == "8" || bits == "32") return {width::bits32, of_integers(32)};
  if (bits == "64") return {width::bits64, of_integers(64)};
  throw std::invalid_argument("no values of the type " + std::string(type));
}

domain only(width of, std::vector<std::uint64_t> edges) {
  return {of, std::move(edges), false};
}

domain distances() {
  return only(width::bits32, {0, 1, 31, 32, 5, 8, 16, 33, 63, 64, 65, 127, 128, 255, 256, 257,
                              0xffff, 0x80000000, 0xffffffff});
}

std::vector<values> tuples_of(const std::vector<domain>& operands) {
  std::vector<values> all;
  if (operands.empty()) return std::vector<values>(1);
  std::mt19937_64 random(1);
  const auto any_of = [&](const domain& of) {
    const std::uint64_t bits = random(), choice = random() % 4;
    if (of.is_any && choice == 0) return cut(bits, static_cast<unsigned>(of.of));
    return of.edges[bits % of.edges.size()];
  };
  std::size_t crossed = 1;
  for (const domain& one : operands) crossed *= one.edges.size();
  std::size_t each = 0;  // 0: all
  if (operands.size() > 1 && crossed > most_tuples)
    each = operands.size() == 2 ? 8 : operands.size() == 3 ? 4 : 2;
  values next{};
  const auto cross = [&](const auto& self, std::size_t at) -> void {
    if (at == operands.size()) return all.push_back(next);
    const auto& of = operands[at].edges;
    for (std::size_t i = 0; i < (each == 0 ? of.size() : std::min(each, of.size())); ++i) {
      next[at] = of[i];
      self(self, at + 1);
    }
  };
  cross(cross, 0);
  const std::size_t more = operands.size() == 1 ? (operands[0].is_any ? random_values : 0)
                           : each == 0          ? 0
                                                : most_tuples - all.size();
  for (std::size_t i = 0; i < more; ++i) {
    for (std::size_t at = 0; at < operands.size(); ++at)
      next[at] = operands.size() == 1 ? cut(random(), static_cast<unsigned>(operands[0].of))
                                      : any_of(operands[at]);
    all.push_back(next);
  }
  return all;
}

opcode_case with_body(std::string name, std::string body, std::vector<width> results,
                      const std::vector<domain>& operands, tolerance open) {
  opcode_case made{.name = std::move(name),
                   .body = std::move(body),
                   .results = std::move(results),
                   .tuples = tuples_of(operands),
                   .open = open};
  for (const domain& one : operands) made.operands.push_back(one.of);
  return made;
}

opcode_case computation(std::string instruction, width result, const std::vector<domain>& operands,
                        tolerance open) {
  static constexpr std::array names = {", %a", ", %b", ", %c", ", %d"};
  std::string body = instruction + " %w";
  for (std::size_t i = 0; i < operands.size(); ++i) body += names.at(i);
  return with_body(std::move(instruction), body + ";", {result}, operands, open);
}

}  // namespace ptx_opcodes
