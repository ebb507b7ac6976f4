#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/matrices.hpp>

#include <bit>
#include <stdexcept>

namespace ptx_opcodes {

namespace {

std::uint32_t mixed(std::uint32_t value) {
  return value * 2654435761u + 12345u;
}

constexpr element known_elements[] = {{"b1", 1, 0, 1},      {"s4", 4, -8, 7},    {"u4", 4, 0, 15},
                                      {"s8", 8, -128, 127}, {"u8", 8, 0, 255},   {"f16", 16, -4, 4},
                                      {"bf16", 16, -4, 4},  {"tf32", 32, -4, 4}, {"f32", 32, -4, 4},
                                      {"s32", 32, -4, 4},   {"f64", 64, -4, 4}};

}  // namespace

const element& element_named(std::string_view name) {
  for (const element& one : known_elements)
    if (one.name == name) return one;
  throw std::invalid_argument("no such element");
}

/// Of a whole number.
std::uint64_t bits_of(const element& of, std::int64_t value) {
  const auto number = static_cast<double>(value);
  if (of.name == "f64") return std::bit_cast<std::uint64_t>(number);
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (of.name == "f32" || of.name == "tf32") return single;
  if (of.name == "bf16") return single >> 16;
  if (of.name == "f16") {
    if (value == 0) return 0;
    return (single >> 16 & 0x8000) | (((single & 0x7fffffff) >> 13) - (112u << 10));
  }
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << of.bits) - 1);
}

matrix numbers(unsigned rows, unsigned columns, const element& of, std::uint32_t seed) {
  matrix made(rows, columns);
  const auto range = static_cast<std::uint32_t>(of.most - of.least + 1);
  for (std::int64_t& one : made.at)
    one = of.least + static_cast<std::int64_t>((mixed(seed++) >> 8) % range);
  return made;
}

matrix product(const matrix& a, const matrix& b, bool is_exclusive_or) {
  matrix made(a.rows, b.columns);
  for (unsigned row = 0; row < made.rows; ++row) {
    for (unsigned column = 0; column < made.columns; ++column) {
      for (unsigned k = 0; k < a.columns; ++k) {
        const std::int64_t x = a(row, k), y = b(k, column);
        made(row, column) += is_exclusive_or ? x ^ y : x * y;
      }
    }
  }
  return made;
}

std::string registers_named(std::string_view name, unsigned count, unsigned first) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += fmt::format("{}%{}{}", i == 0 ? "{" : ", ", name, first + i);
  return text + "}";
}

opcode_case of_warp(std::string name, std::string body, std::vector<width> results,
                    std::vector<width> operands) {
  opcode_case made{.name = std::move(name),
                   .body = std::move(body),
                   .operands = std::move(operands),
                   .results = std::move(results)};
  made.tuples.resize(lanes);
  made.expected.resize(lanes);
  return made;
}

}  // namespace ptx_opcodes
