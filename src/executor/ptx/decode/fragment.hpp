// SPDX-License-Identifier: Apache-2.0
// Matrices spread over the registers of a warp: which element is where.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptx {

enum class element : std::uint8_t { b1, s4, u4, s8, u8, f16, bf16, tf32, s32, f32, f64 };

/// From ".f16", ".s8", ...; nothing if it is no such name.
std::optional<element> element_named(std::string_view dotted);

/// In registers; those of tf32 have bits that do not count.
std::uint32_t bits_of(element of);

/// A part of a matrix in each lane. Lines are rows of A, C and D, and columns of B; the other way
/// round if the fragment is transposed.
struct fragment {
  element of = element::b1;
  std::uint16_t lines = 0;
  std::uint16_t length = 0;    ///< of a line
  std::uint8_t registers = 0;  ///< per lane
  /// Elements that a lane has side by side; 0: all of a lane follow one another, line after line,
  /// and where lanes have more than the matrix, it is repeated.
  std::uint8_t run = 0;
  bool is_transposed = false;

  std::uint32_t register_bits() const { return of == element::f64 ? 64 : 32; }
  std::uint32_t per_register() const { return register_bits() / bits_of(of); }
  std::uint32_t elements() const { return registers * per_register(); }  ///< per lane

  struct place {
    std::uint32_t line = 0;
    std::uint32_t position = 0;
  };
  /// Of an element of a lane, in the order of registers, low bits first.
  place place_of(std::uint32_t lane, std::uint32_t index) const;
};

/// An operand of mma: eight groups of four lanes have eight lines, and the four lanes side by side
/// `run` elements each; the next registers have eight lines more, and then the next elements.
fragment fragment_of_mma(element of, std::uint32_t lines, std::uint32_t length, std::uint32_t run);

/// An operand of wmma. The manual leaves open where its elements are.
fragment fragment_of_wmma(element of, std::uint32_t lines, std::uint32_t length,
                          bool is_transposed);

}  // namespace ptx
