// SPDX-License-Identifier: Apache-2.0
// Operations of real numbers, of one or several types. Approximations are as exact as the host's
// functions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ptx::real {

/// Which NaN a result is matters for f64 alone. GPUs keep the second of two.
template <class T>
T quiet(T nan) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<T>(std::bit_cast<std::uint64_t>(nan) | std::uint64_t{1} << 51);
  return nan;
}
template <class T>
bool are_nans(T a, T b) {
  return std::is_same_v<T, double> && std::isnan(a) && std::isnan(b);
}

struct add {
  template <class T>
  static T of(T a, T b) {
    return are_nans(a, b) ? quiet(b) : a + b;
  }
};
struct subtract {
  template <class T>
  static T of(T a, T b) {
    return are_nans(a, b) ? quiet(b) : a - b;
  }
};
struct multiply {
  template <class T>
  static T of(T a, T b) {
    return are_nans(a, b) ? quiet(b) : a * b;
  }
};
struct multiply_add {
  template <class T>
  static T of(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
struct divide {
  template <class T>
  static T of(T a, T b) {
    return a / b;
  }
};
/// a * (1/b), as the manual says of div.approx.f32: of great b the inverse is 0.
struct approximate_divide {
  template <class T>
  static T of(T a, T b) {
    if (std::fabs(b) > static_cast<T>(0x1p126) && std::isfinite(b))
      return a * std::copysign(T{0}, b);
    return a / b;
  }
};
struct reciprocal {
  template <class T>
  static T of(T a) {
    return 1 / a;
  }
};
struct square_root {
  template <class T>
  static T of(T a) {
    return std::sqrt(a);
  }
};
struct reciprocal_root {
  template <class T>
  static T of(T a) {
    return 1 / std::sqrt(a);
  }
};
struct negate {
  template <class T>
  static T of(T a) {
    return std::isnan(a) ? quiet(a) : -a;
  }
};
struct absolute {
  template <class T>
  static T of(T a) {
    return std::isnan(a) ? quiet(a) : std::fabs(a);
  }
};
struct sine {
  template <class T>
  static T of(T a) {
    return std::sin(a);
  }
};
struct cosine {
  template <class T>
  static T of(T a) {
    return std::cos(a);
  }
};
struct logarithm {
  template <class T>
  static T of(T a) {
    return std::log2(a);
  }
};
struct power {
  template <class T>
  static T of(T a) {
    return std::exp2(a);
  }
};
struct hyperbolic_tangent {
  template <class T>
  static T of(T a) {
    return std::tanh(a);
  }
};
struct copy_sign {
  template <class T>
  static T of(T sign, T size) {
    return std::copysign(size, sign);
  }
};

/// -0 is less than 0; a number is preferred to none, unless `KeepsNan`.
template <bool Least, bool KeepsNan>
struct extreme {
  template <class T>
  static T of(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) {
      if (KeepsNan) return std::numeric_limits<T>::quiet_NaN();
      return are_nans(a, b) ? quiet(b) : std::isnan(a) ? b : a;
    }
    if (a == b) return std::signbit(a) == Least ? a : b;
    return (a < b) == Least ? a : b;
  }
};

/// Of the upper 32 bits alone, as the manual says of rcp and rsqrt .approx.ftz.f64.
template <class Operation>
struct of_upper {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_same_v<T, double>) return upper(Operation::of(upper(a)));
    return Operation::of(a);
  }
  static double upper(double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) >> 32 << 32);
  }
};

/// .xorsign.abs: of the sizes, with the product's sign.
template <class Extreme>
struct extreme_size {
  template <class T>
  static T of(T a, T b) {
    const T size = Extreme::of(std::fabs(a), std::fabs(b));
    return std::signbit(a) == std::signbit(b) ? size : -size;
  }
};

}  // namespace ptx::real
