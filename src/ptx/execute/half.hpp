// 16-bit floating point, kept as bits and computed as float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ptx {

/// Rounds to the nearest value with `kept` bits of fraction that a 16-bit format with exponents of
/// at least `least` has.
inline float rounded_to(float value, int kept, int least) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = (exponent - 1 > least ? exponent - 1 : least) - kept;
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

/// IEEE binary16.
struct half {
  std::uint16_t bits = 0;

  half() = default;
  explicit half(float value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const float size = std::fabs(rounded_to(value, 10, -14));
    if (std::isnan(value)) {
      bits = 0x7fff;
    } else if (size >= 65536.0f) {
      bits = sign | 0x7c00;
    } else if (size < 0x1p-14f) {
      bits = static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(size * 0x1p24f));
    } else {
      const std::uint32_t wide = std::bit_cast<std::uint32_t>(size);
      bits = static_cast<std::uint16_t>(sign | ((wide >> 13) - (112u << 10)));
    }
  }
  explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t rest = bits & 0x7fffu;
    if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ff) << 13);
    if (rest < 0x400)
      return std::copysign(static_cast<float>(rest) * 0x1p-24f, std::bit_cast<float>(sign | 1));
    return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
  }
};

/// The upper half of a float.
struct bfloat {
  std::uint16_t bits = 0;

  bfloat() = default;
  explicit bfloat(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = wide + 0x7fff + (wide >> 16 & 1);
    bits = std::isnan(value) ? std::uint16_t{0x7fff} : static_cast<std::uint16_t>(rounded >> 16);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

}  // namespace ptx
