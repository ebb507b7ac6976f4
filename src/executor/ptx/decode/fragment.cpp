// SPDX-License-Identifier: Apache-2.0
#include <ptx/decode/fragment.hpp>

#include <cstddef>

namespace ptx {

namespace {

struct named_element {
  std::string_view name;
  element of;
  std::uint32_t bits;
};
constexpr named_element elements[] = {
    {".b1", element::b1, 1},      {".s4", element::s4, 4},      {".u4", element::u4, 4},
    {".s8", element::s8, 8},      {".u8", element::u8, 8},      {".f16", element::f16, 16},
    {".bf16", element::bf16, 16}, {".tf32", element::tf32, 32}, {".s32", element::s32, 32},
    {".f32", element::f32, 32},   {".f64", element::f64, 64},
};

constexpr std::uint32_t warp_lanes = 32;
constexpr std::uint32_t lines_of_lanes = 8, lanes_of_line = 4;

}  // namespace

std::optional<element> element_named(std::string_view dotted) {
  for (const named_element& one : elements)
    if (one.name == dotted) return one.of;
  return {};
}

std::uint32_t bits_of(element of) {
  return elements[static_cast<std::size_t>(of)].bits;
}

fragment::place fragment::place_of(std::uint32_t lane, std::uint32_t index) const {
  if (run == 0) {
    const std::uint32_t at = (elements() * lane + index) % (std::uint32_t{lines} * length);
    return {at / length, at % length};
  }
  const std::uint32_t which = index / run, blocks = lines / lines_of_lanes;
  return {lane / lanes_of_line + lines_of_lanes * (which % blocks),
          run * (lane % lanes_of_line + lanes_of_line * (which / blocks)) + index % run};
}

fragment fragment_of_mma(element of, std::uint32_t lines, std::uint32_t length, std::uint32_t run) {
  fragment made{.of = of,
                .lines = static_cast<std::uint16_t>(lines),
                .length = static_cast<std::uint16_t>(length),
                .run = static_cast<std::uint8_t>(run)};
  made.registers = static_cast<std::uint8_t>(lines * length / warp_lanes / made.per_register());
  return made;
}

fragment fragment_of_wmma(element of, std::uint32_t lines, std::uint32_t length,
                          bool is_transposed) {
  fragment made = fragment_of_mma(of, lines, length, 0);
  made.is_transposed = is_transposed;
  return made;
}

}  // namespace ptx
