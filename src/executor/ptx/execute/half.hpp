// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point, kept as bits and computed as float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace ptx {

enum class rounding : std::uint8_t { nearest, zero, down, up };

template <class T>
T to_whole(T value, rounding how) {
  switch (how) {
    case rounding::nearest:
      return std::nearbyint(value);
    case rounding::zero:
      return std::trunc(value);
    case rounding::down:
      return std::floor(value);
    case rounding::up:
      return std::ceil(value);
  }
  return value;
}

/// Bits of the fraction; exponents of the least and the greatest normal number.
struct real_shape {
  int kept;
  int least;
  int most;
};

/// Rounds to a value that a format of this shape has, or to infinity. Zeros and NaNs stay.
template <class T>
T rounded_to(T value, const real_shape& shape, rounding how) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = (exponent - 1 > shape.least ? exponent - 1 : shape.least) - shape.kept;
  const T whole = to_whole(std::ldexp(value, -unit), how);
  const T result = std::copysign(std::ldexp(whole, unit), value);
  if (std::fabs(result) < std::ldexp(T{1}, shape.most + 1)) return result;
  const bool is_infinite =
      how == rounding::nearest || how == (value < 0 ? rounding::down : rounding::up);
  const T greatest = std::ldexp(2 - std::ldexp(T{1}, -shape.kept), shape.most);
  return std::copysign(is_infinite ? static_cast<T>(HUGE_VALF) : greatest, value);
}

/// IEEE binary16.
struct half {
  static constexpr real_shape shape = {10, -14, 15};
  std::uint16_t bits = 0;

  half() = default;
  template <class T>
  explicit half(T value, rounding how = rounding::nearest) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const auto size = static_cast<float>(std::fabs(rounded_to(value, shape, how)));
    if (std::isnan(value)) {
      bits = 0x7fff;
    } else if (std::isinf(size)) {
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
  static constexpr real_shape shape = {7, -126, 127};
  std::uint16_t bits = 0;

  bfloat() = default;
  template <class T>
  explicit bfloat(T value, rounding how = rounding::nearest) {
    const auto rounded = static_cast<float>(rounded_to(value, shape, how));
    bits = std::isnan(value)
               ? std::uint16_t{0x7fff}
               : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded) >> 16);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

template <class T>
constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat>;

/// Without a subnormal value.
template <class T>
T flushed(T value) {
  if constexpr (is_half<T>) {
    if (std::fabs(static_cast<float>(value)) < std::ldexp(1.0f, T::shape.least))
      value.bits &= 0x8000;
    return value;
  } else {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
  }
}

}  // namespace ptx
