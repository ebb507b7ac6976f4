// Arithmetic of real numbers. Approximations are as exact as the host's functions.
#include <ptx/execute/computing.hpp>

#include <cfenv>
#include <cmath>

namespace ptx {

namespace {

struct add {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct subtract {
  template <class T>
  static T of(T a, T b) {
    return a - b;
  }
};
struct multiply {
  template <class T>
  static T of(T a, T b) {
    return a * b;
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
    return -a;
  }
};
struct absolute {
  template <class T>
  static T of(T a) {
    return std::fabs(a);
  }
};
struct sine {
  static float of(float a) { return std::sin(a); }
};
struct cosine {
  static float of(float a) { return std::cos(a); }
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
      return std::isnan(a) ? b : a;
    }
    if (a == b) return std::signbit(a) == Least ? a : b;
    return (a < b) == Least ? a : b;
  }
};

template <class T>
T flushed(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}

/// .ftz, .sat
template <class Operation, bool Flushes, bool Saturates>
struct adjusted {
  template <class T, class... Rest>
  static T of(T a, Rest... rest) {
    T result =
        Flushes ? flushed(Operation::of(flushed(a), flushed(rest)...)) : Operation::of(a, rest...);
    if (Saturates) result = result > 0 ? (result < 1 ? result : T{1}) : T{0};
    return result;
  }
};

/// .rz, .rm, .rp
template <class Operation, int Direction>
struct directed {
  template <class T, class... Rest>
  static T of(T a, Rest... rest) {
    const int before = std::fegetround();
    std::fesetround(Direction);
    const volatile T first = a;  // computed between the two changes of direction
    const volatile T result = Operation::of(T{first}, rest...);
    std::fesetround(before);
    return result;
  }
};

/// Halves are computed as float.
template <class Operation>
struct as_float {
  template <class H, class... Rest>
  static H of(H a, Rest... rest) {
    return H(Operation::of(static_cast<float>(a), static_cast<float>(rest)...));
  }
};

template <class Operation, class H, std::size_t Sources>
const instruction* compute_pair(machine& m, const instruction& i) {
  u32 result = 0;
  for (const unsigned shift : {0u, 16u}) {
    const auto part = [&](std::size_t index) {
      H one;
      one.bits = static_cast<u16>(m.get<u32>(i.from[index]) >> shift);
      return one;
    };
    H made;
    if constexpr (Sources == 1) made = as_float<Operation>::of(part(0));
    if constexpr (Sources == 2) made = as_float<Operation>::of(part(0), part(1));
    if constexpr (Sources == 3) made = as_float<Operation>::of(part(0), part(1), part(2));
    result |= u32{made.bits} << shift;
  }
  m.put<u32>(i.to, result);
  return &i + 1;
}

template <class Operation, class T, std::size_t... Index>
constexpr handler spread(std::index_sequence<Index...>) {
  return compute<Operation, T, std::enable_if_t<Index + 1 != 0, T>...>;
}

template <class Operation, std::size_t Sources>
handler chosen_for(const type& of, bool flushes, bool saturates) {
  constexpr auto all = std::make_index_sequence<Sources>();
  if (of.elements == 2) {
    if (saturates) throw unsupported{};
    return of.is_alternative ? compute_pair<Operation, bfloat, Sources>
                             : compute_pair<Operation, half, Sources>;
  }
  if (of == type_of<half>()) return spread<as_float<Operation>, half>(all);
  if (of == type_of<bfloat>()) return spread<as_float<Operation>, bfloat>(all);
  if (of.is_alternative) throw unsupported{};
  if (of.bytes == 8) return spread<Operation, double>(all);
  if (flushes && saturates) return spread<adjusted<Operation, true, true>, float>(all);
  if (flushes) return spread<adjusted<Operation, true, false>, float>(all);
  if (saturates) return spread<adjusted<Operation, false, true>, float>(all);
  return spread<Operation, float>(all);
}

void decode_sources(decoder& d, const type& of, handler execute, std::size_t sources) {
  if (sources == 1) decode_computation(d, execute, {of});
  if (sources == 2) decode_computation(d, execute, {of, of});
  if (sources == 3) decode_computation(d, execute, {of, of, of});
}

template <class Operation, std::size_t Sources>
void decode_exact(decoder& d) {
  const type of = d.require_type();
  const bool flushes = d.take(".ftz");
  decode_sources(d, of, chosen_for<Operation, Sources>(of, flushes, d.take(".sat")), Sources);
}

/// Also rounded in a given direction.
template <class Operation, std::size_t Sources>
void decode_rounded(decoder& d) {
  const auto direction = d.take_one_of({".rn", ".rz", ".rm", ".rp", ".approx", ".full"});
  if (direction != ".rz" && direction != ".rm" && direction != ".rp")
    return decode_exact<Operation, Sources>(d);
  const type of = d.require_type();
  constexpr auto all = std::make_index_sequence<Sources>();
  const handler execute = choose<float, double>(of, [&]<class T>() -> handler {
    if (direction == ".rz") return spread<directed<Operation, FE_TOWARDZERO>, T>(all);
    if (direction == ".rm") return spread<directed<Operation, FE_DOWNWARD>, T>(all);
    return spread<directed<Operation, FE_UPWARD>, T>(all);
  });
  decode_sources(d, of, execute, Sources);
}

template <class Operation>
void decode_approximate(decoder& d) {
  d.take(".approx");
  decode_exact<Operation, 1>(d);
}

void decode_float_function(decoder& d, handler execute) {
  d.take(".approx");
  d.take(".ftz");
  if (d.require_type() != type_of<float>()) throw unsupported{};
  decode_computation(d, execute, {type_of<float>()});
}

template <bool Least>
void decode_extreme(decoder& d) {
  if (d.take(".NaN")) return decode_exact<extreme<Least, true>, 2>(d);
  decode_exact<extreme<Least, false>, 2>(d);
}

template <bool (*Test)(double)>
struct tested {
  template <class T>
  static bool of(T a) {
    return Test(a);
  }
};
bool is_finite(double a) {
  return std::isfinite(a);
}
bool is_infinite(double a) {
  return std::isinf(a);
}
bool is_number(double a) {
  return !std::isnan(a);
}
bool is_no_number(double a) {
  return std::isnan(a);
}

void decode_test(decoder& d) {
  const auto which = d.take_one_of({".finite", ".infinite", ".number", ".notanumber"});
  const type of = d.require_type();
  const handler execute = choose<float, double>(of, [&]<class T>() -> handler {
    if (which == ".finite") return compute<tested<is_finite>, bool, T>;
    if (which == ".infinite") return compute<tested<is_infinite>, bool, T>;
    if (which == ".number") return compute<tested<is_number>, bool, T>;
    if (which == ".notanumber") return compute<tested<is_no_number>, bool, T>;
    return nullptr;
  });
  decode_computation(d, execute, {of});
}

constexpr opcode_row rows[] = {
    {"add", decode_rounded<add, 2>},
    {"sub", decode_rounded<subtract, 2>},
    {"mul", decode_rounded<multiply, 2>},
    {"fma", decode_rounded<multiply_add, 3>},
    {"mad", decode_rounded<multiply_add, 3>},
    {"div", decode_rounded<divide, 2>},
    {"rcp", decode_rounded<reciprocal, 1>},
    {"sqrt", decode_rounded<square_root, 1>},
    {"rsqrt", decode_approximate<reciprocal_root>},
    {"lg2", decode_approximate<logarithm>},
    {"ex2", decode_approximate<power>},
    {"tanh", decode_approximate<hyperbolic_tangent>},
    {"sin", [](decoder& d) { decode_float_function(d, compute<sine, float, float>); }},
    {"cos", [](decoder& d) { decode_float_function(d, compute<cosine, float, float>); }},
    {"neg", decode_exact<negate, 1>},
    {"abs", decode_exact<absolute, 1>},
    {"copysign", decode_exact<copy_sign, 2>},
    {"min", decode_extreme<true>},
    {"max", decode_extreme<false>},
    {"testp", decode_test},
};

}  // namespace

std::span<const opcode_row> real_rows() {
  return rows;
}

}  // namespace ptx
