// SPDX-License-Identifier: Apache-2.0
// Which products of matrices there are, and how instructions name them.
#include <ptx/execute/accesses.hpp>
#include <ptx/execute/matrices.hpp>

#include <algorithm>
#include <charconv>
#include <span>

namespace ptx {

namespace {

struct known_product {
  shape size;
  element factor;  ///< of signed integers: the unsigned ones, too
};
constexpr known_product of_mma[] = {
    {{16, 8, 8}, element::f16},   {{16, 8, 16}, element::f16}, {{16, 8, 8}, element::bf16},
    {{16, 8, 16}, element::bf16}, {{16, 8, 4}, element::tf32}, {{16, 8, 8}, element::tf32},
    {{8, 8, 16}, element::s8},    {{16, 8, 16}, element::s8},  {{16, 8, 32}, element::s8},
    {{8, 8, 32}, element::s4},    {{16, 8, 32}, element::s4},  {{16, 8, 64}, element::s4},
    {{8, 8, 128}, element::b1},   {{16, 8, 128}, element::b1}, {{16, 8, 256}, element::b1},
    {{8, 8, 4}, element::f64},    {{16, 8, 4}, element::f64},  {{16, 8, 8}, element::f64},
    {{16, 8, 16}, element::f64},
};
constexpr known_product of_wmma[] = {
    {{16, 16, 16}, element::f16},  {{32, 8, 16}, element::f16},  {{8, 32, 16}, element::f16},
    {{16, 16, 16}, element::bf16}, {{32, 8, 16}, element::bf16}, {{8, 32, 16}, element::bf16},
    {{16, 16, 16}, element::s8},   {{32, 8, 16}, element::s8},   {{8, 32, 16}, element::s8},
    {{16, 16, 8}, element::tf32},  {{8, 8, 4}, element::f64},
};
constexpr std::uint8_t registers_of_f16_factors = 8;  // in wmma, whatever the shape

element with_sign(element of) {
  return of == element::u8 ? element::s8 : of == element::u4 ? element::s4 : of;
}

bool is_sum_of(element sum, element factor) {
  switch (with_sign(factor)) {
    case element::f16:
      return sum == element::f16 || sum == element::f32;
    case element::bf16:
    case element::tf32:
      return sum == element::f32;
    case element::f64:
      return sum == element::f64;
    default:
      return sum == element::s32;
  }
}

template <class Fits>
bool has(std::span<const known_product> among, const shape& size, const Fits& fits) {
  return std::any_of(among.begin(), among.end(), [&](const known_product& one) {
    return one.size == size && fits(one.factor);
  });
}

bool multiplies(std::span<const known_product> among, const shape& size,
                const std::vector<element>& of) {
  return has(among, size, [&](element factor) {
    return factor == with_sign(of[1]) && factor == with_sign(of[2]) && is_sum_of(of[0], factor) &&
           is_sum_of(of[3], factor);
  });
}

}  // namespace

bool multiplies_mma(const shape& size, const std::vector<element>& of) {
  return multiplies(of_mma, size, of);
}
bool multiplies_wmma(const shape& size, const std::vector<element>& of) {
  return multiplies(of_wmma, size, of);
}
bool is_factor_of_wmma(const shape& size, element of) {
  return has(of_wmma, size, [&](element factor) { return factor == with_sign(of); });
}
bool is_sum_of_wmma(const shape& size, element of) {
  return has(of_wmma, size, [&](element factor) { return is_sum_of(of, factor); });
}

fragment factor_of_wmma(element of, std::uint32_t lines, std::uint32_t length, bool is_transposed) {
  if (is_transposed) std::swap(lines, length);
  fragment made = fragment_of_wmma(of, lines, length, is_transposed);
  if (of == element::f16) made.registers = registers_of_f16_factors;
  return made;
}

shape take_shape(decoder& d) {
  const auto name = d.take_first([](std::string_view one) {
    return one.starts_with(".m") && one.find('k') != std::string_view::npos;
  });
  shape found;
  const char* at = name.data();
  const char* const end = at + name.size();
  for (const auto& [before, size] :
       {std::pair(2, &found.m), std::pair(1, &found.n), std::pair(1, &found.k)}) {
    require(end - at > before);
    at = std::from_chars(at + before, end, *size).ptr;
  }
  require(at == end);
  return found;
}

std::vector<element> take_elements(decoder& d) {
  std::vector<element> all;
  for (;;) {
    const auto name =
        d.take_first([](std::string_view one) { return element_named(one).has_value(); });
    if (name.empty()) return all;
    all.push_back(*element_named(name));
  }
}

bool take_is_column_major(decoder& d) {
  const auto name =
      d.take_first([](std::string_view one) { return one == ".row" || one == ".col"; });
  require(!name.empty());
  return name == ".col";
}

void emit_with_site(decoder& d, matrix_site site, instruction one) {
  one.has_matrix_site = true;
  one.number = static_cast<std::int64_t>(d.into().matrices.size());
  d.into().matrices.push_back(std::move(site));
  d.emit(one);
}

void add_registers(decoder& d, const operand_syntax& list, const fragment& of, matrix_site& to,
                   bool is_destination) {
  const auto all = registers_of(list);
  d.expect_count("register", all.size(), of.registers);
  const type bits{type_class::bits, static_cast<std::uint8_t>(of.register_bits() / 8)};
  for (const operand_syntax* const one : all)
    to.registers.push_back(is_destination ? d.destination(*one) : d.source(*one, bits));
  if (is_destination) to.destinations = to.registers.size();
}

}  // namespace ptx
