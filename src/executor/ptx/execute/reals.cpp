// SPDX-License-Identifier: Apache-2.0
// Arithmetic of real numbers: modifiers, and which operation an opcode is.
#include <ptx/execute/computing.hpp>
#include <ptx/execute/real_operations.hpp>

#include <cfenv>
#include <cmath>
#include <tuple>

namespace ptx {

namespace {

using namespace real;

/// .sat: within 0 and 1, 0 for none; .relu: 0 for less.
enum class finish : u8 { plain, saturated, positive };

struct manner {
  int direction = FE_TONEAREST;  ///< of f32 and f64
  bool flushes = false;          ///< .ftz
  finish end = finish::plain;

  bool is_plain() const { return direction == FE_TONEAREST && !flushes && end == finish::plain; }
  std::int64_t packed() const {
    return std::int64_t{direction} << 8 | (flushes ? 4 : 0) | static_cast<u8>(end);
  }
  static manner unpacked(std::int64_t bits) {
    return {static_cast<int>(bits >> 8), (bits & 4) != 0, static_cast<finish>(bits & 3)};
  }
};

/// Rounded to odd: a second rounding to fewer bits is as exact as one alone.
double odd_sum(double a, double b) {
  const double all = a + b;
  if (!std::isfinite(all)) return all;
  const double of_b = all - a, error = (a - (all - of_b)) + (b - of_b);
  if (error == 0 || (std::bit_cast<u64>(all) & 1) != 0) return all;
  return std::nextafter(all, error < 0 ? -HUGE_VAL : HUGE_VAL);
}

/// Halves are computed as double, in which their products are exact.
template <class Operation, class T, class... Rest>
T of_halves(T a, Rest... rest) {
  if constexpr (std::is_same_v<Operation, multiply_add>)
    return [](double x, double y, double z) { return T(odd_sum(x * y, z)); }(
               static_cast<float>(a), static_cast<float>(rest)...);
  else
    return T(Operation::of(static_cast<double>(static_cast<float>(a)),
                           static_cast<double>(static_cast<float>(rest))...));
}

template <class Operation, class T, class... Rest>
T in_direction(int direction, T a, Rest... rest) {
  const int before = std::fegetround();
  std::fesetround(direction);
  const volatile T first = a;  // computed between the two changes of direction
  const volatile T result = Operation::of(T{first}, rest...);
  std::fesetround(before);
  return result;
}

template <class T>
T finished(finish end, T result) {
  using number = std::conditional_t<is_half<T>, float, T>;
  const auto value = static_cast<number>(result);
  if (end == finish::saturated) return T(value > 0 ? (value < 1 ? value : number{1}) : number{0});
  if (end == finish::positive && value <= 0) return T(number{0});
  return result;
}

template <class Operation, class T, class... Rest>
T adjusted(const manner& how, T a, Rest... rest) {
  if (how.flushes) {
    a = flushed(a);
    ((rest = flushed(rest)), ...);
  }
  T result;
  if constexpr (is_half<T>)
    result = of_halves<Operation>(a, rest...);
  else
    result = how.direction == FE_TONEAREST ? Operation::of(a, rest...)
                                           : in_direction<Operation>(how.direction, a, rest...);
  if (how.flushes) result = flushed(result);
  return how.end == finish::plain ? result : finished(how.end, result);
}

/// `number`: the manner.
template <class Operation, class T, class... From>
const instruction* compute_adjusted(thread_state& t, const instruction& i) {
  const manner how = manner::unpacked(i.number);
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    t.put<T>(i.to, adjusted<Operation>(how, t.get<From>(i.from[Index])...));
  }
  (std::index_sequence_for<From...>());
  return &i + 1;
}

/// Two halves at once.
template <class Operation, class H, class... From>
const instruction* compute_pair(thread_state& t, const instruction& i) {
  const manner how = manner::unpacked(i.number);
  u32 result = 0;
  for (const unsigned shift : {0u, 16u}) {
    const auto part = [&](std::size_t index) {
      H one;
      one.bits = static_cast<u16>(t.get<u32>(i.from[index]) >> shift);
      return one;
    };
    const H made = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      return adjusted<Operation>(how, static_cast<From>(part(Index))...);
    }
    (std::index_sequence_for<From...>());
    result |= u32{made.bits} << shift;
  }
  t.put<u32>(i.to, result);
  return &i + 1;
}

template <class Operation, class... From>
handler chosen_for(const type& of, const manner& how) {
  using first = std::tuple_element_t<0, std::tuple<From...>>;
  if constexpr (is_half<first>)
    return of.elements == 2 ? compute_pair<Operation, first, From...>
                            : compute_adjusted<Operation, first, From...>;
  else
    return how.is_plain() ? compute<Operation, first, From...>
                          : compute_adjusted<Operation, first, From...>;
}

/// `Sources` operands of one type, `direction` and what else the statement says.
template <class Operation, std::size_t Sources>
void decode_in(decoder& d, int direction) {
  const type of = d.require_type();
  manner how{.direction = direction, .flushes = d.take(".ftz")};
  if (d.take(".sat")) how.end = finish::saturated;
  if (d.take(".relu")) how.end = finish::positive;
  type one = of;
  one.elements = 1;
  instruction made{.number = how.packed()};
  made.execute = choose<half, bfloat, float, double>(one, [&]<class T>() -> handler {
    if (is_half<T> && direction != FE_TONEAREST) throw unsupported{};
    if constexpr (Sources == 1)
      return chosen_for<Operation, T>(of, how);
    else if constexpr (Sources == 2)
      return chosen_for<Operation, T, T>(of, how);
    else
      return chosen_for<Operation, T, T, T>(of, how);
  });
  d.expect_count("operand", d.operands(), Sources + 1);
  for (std::size_t at = 0; at < Sources; ++at) made.from[at] = d.source(at + 1, of);
  made.to = d.destination(0);
  d.emit(made);
}

template <class Operation, std::size_t Sources>
void decode_exact(decoder& d) {
  decode_in<Operation, Sources>(d, FE_TONEAREST);
}

/// Also rounded in a given direction.
template <class Operation, std::size_t Sources>
void decode_rounded(decoder& d) {
  const auto direction = d.take_one_of({".rn", ".rz", ".rm", ".rp", ".approx", ".full"});
  decode_in<Operation, Sources>(d, direction == ".rz"   ? FE_TOWARDZERO
                                   : direction == ".rm" ? FE_DOWNWARD
                                   : direction == ".rp" ? FE_UPWARD
                                                        : FE_TONEAREST);
}

void decode_divide(decoder& d) {
  if (d.take(".approx")) return decode_exact<approximate_divide, 2>(d);
  decode_rounded<divide, 2>(d);
}

template <class Operation>
void decode_inverse(decoder& d) {
  if (d.has(".f64") && d.has(".ftz")) {
    d.take(".approx");
    return decode_exact<of_upper<Operation>, 1>(d);
  }
  decode_rounded<Operation, 1>(d);
}

template <class Operation>
void decode_approximate(decoder& d) {
  d.take(".approx");
  decode_exact<Operation, 1>(d);
}

template <class Extreme>
void decode_extreme_of(decoder& d) {
  const bool is_of_sizes = d.take(".xorsign");
  if (!is_of_sizes) return decode_exact<Extreme, 2>(d);
  d.take(".abs");
  decode_exact<extreme_size<Extreme>, 2>(d);
}

template <bool Least>
void decode_extreme(decoder& d) {
  if (d.take(".NaN")) return decode_extreme_of<extreme<Least, true>>(d);
  decode_extreme_of<extreme<Least, false>>(d);
}

struct test_name {
  std::string_view name;
  unsigned classes;  ///< that are accepted: bits, by what fpclassify() says
};
constexpr unsigned normal = 1u << FP_NORMAL | 1u << FP_ZERO, subnormal = 1u << FP_SUBNORMAL,
                   infinite = 1u << FP_INFINITE, no_number = 1u << FP_NAN;
constexpr test_name tests[] = {
    {".finite", normal | subnormal},
    {".infinite", infinite},
    {".number", normal | subnormal | infinite},
    {".notanumber", no_number},
    {".normal", normal},  // zero is normal, too
    {".subnormal", subnormal},
};

/// `number`: the classes
template <class T>
const instruction* test_class(thread_state& t, const instruction& i) {
  t.put<bool>(i.to, (i.number >> std::fpclassify(t.get<T>(i.from[0])) & 1) != 0);
  return &i + 1;
}

void decode_test(decoder& d) {
  const type of = d.require_type();
  for (const auto& [name, classes] : tests) {
    if (!d.take(name)) continue;
    instruction one{.number = classes};
    one.execute = choose<float, double>(of, []<class T>() -> handler { return test_class<T>; });
    one.from[0] = d.source(1, of);
    one.to = d.destination(0);
    return d.emit(one);
  }
  throw unsupported{};
}

}  // namespace

std::span<const opcode_row> real_rows() {
  static constexpr opcode_row rows[] = {
      {"add", decode_rounded<add, 2>},
      {"sub", decode_rounded<subtract, 2>},
      {"mul", decode_rounded<multiply, 2>},
      {"fma", decode_rounded<multiply_add, 3>},
      {"mad", decode_rounded<multiply_add, 3>},
      {"div", decode_divide},
      {"rcp", decode_inverse<reciprocal>},
      {"sqrt", decode_rounded<square_root, 1>},
      {"rsqrt", decode_inverse<reciprocal_root>},
      {"lg2", decode_approximate<logarithm>},
      {"ex2", decode_approximate<power>},
      {"tanh", decode_approximate<hyperbolic_tangent>},
      {"sin", decode_approximate<sine>},
      {"cos", decode_approximate<cosine>},
      {"neg", decode_exact<negate, 1>},
      {"abs", decode_exact<absolute, 1>},
      {"copysign", decode_exact<copy_sign, 2>},
      {"min", decode_extreme<true>},
      {"max", decode_extreme<false>},
      {"testp", decode_test},
  };
  return rows;
}

}  // namespace ptx
