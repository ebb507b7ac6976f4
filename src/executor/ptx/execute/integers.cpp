// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers. What C++ leaves undefined, PTX defines.
#include <ptx/execute/computing.hpp>

#include <bit>
#include <limits>

namespace ptx {

namespace {

template <class T>
struct wide_of;
template <>
struct wide_of<u16> {
  using type = u32;
};
template <>
struct wide_of<u32> {
  using type = u64;
};
template <>
struct wide_of<u64> {
  using type = u128;
};
template <>
struct wide_of<s16> {
  using type = s32;
};
template <>
struct wide_of<s32> {
  using type = s64;
};
template <>
struct wide_of<s64> {
  using type = s128;
};
template <class T>
using wide = typename wide_of<T>::type;

template <class T>
T saturated(s128 value) {
  if (value < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
  if (value > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

// In 64 unsigned bits nothing overflows in C++; the result is cut to its type.
struct add {
  template <class T>
  static auto of(T a, T b) {
    return static_cast<u64>(a) + static_cast<u64>(b);
  }
};
struct subtract {
  template <class T>
  static auto of(T a, T b) {
    return static_cast<u64>(a) - static_cast<u64>(b);
  }
};
struct add_saturated {
  template <class T>
  static T of(T a, T b) {
    return saturated<T>(s128{a} + b);
  }
};
struct subtract_saturated {
  template <class T>
  static T of(T a, T b) {
    return saturated<T>(s128{a} - b);
  }
};
struct multiply_low {
  template <class T>
  static auto of(T a, T b) {
    return static_cast<u64>(a) * static_cast<u64>(b);
  }
};
struct multiply_high {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<wide<T>>(a) * static_cast<wide<T>>(b) >> width<T>);
  }
};
struct multiply_wide {
  template <class T>
  static auto of(T a, T b) {
    return static_cast<wide<T>>(a) * static_cast<wide<T>>(b);
  }
};
template <class Product>
struct with_sum {
  template <class T, class Sum>
  static auto of(T a, T b, Sum c) {
    return static_cast<u64>(Product::of(a, b)) + static_cast<u64>(c);
  }
};
struct divide {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - raw(a));
    return static_cast<T>(a / b);
  }
};
struct remainder {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);  // as GPUs do; the manual leaves it open
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct minimum {
  template <class T>
  static T of(T a, T b) {
    return a < b ? a : b;
  }
};
struct maximum {
  template <class T>
  static T of(T a, T b) {
    return a > b ? a : b;
  }
};
struct negate {
  template <class T>
  static T of(T a) {
    return static_cast<T>(0 - raw(a));
  }
};
struct absolute {
  template <class T>
  static T of(T a) {
    return a < 0 ? negate::of(a) : a;
  }
};
struct sum_of_differences {
  template <class T>
  static T of(T a, T b, T c) {
    return static_cast<T>(raw(c) + (a < b ? raw(b) - raw(a) : raw(a) - raw(b)));
  }
};

template <class A, class B>
struct dot_product {
  static u32 of(u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 4; ++i) {
      c += static_cast<u32>(s32{static_cast<A>(a >> (8 * i))} * s32{static_cast<B>(b >> (8 * i))});
    }
    return c;
  }
};

/// Sums with a carry, as GPUs have it: a - b is a + ~b + 1, and carries where nothing is borrowed.
template <class T, bool Subtracts, bool Uses, bool Sets>
const instruction* with_carry(thread_state& t, const instruction& i) {
  const T a = t.get<T>(i.from[0]), b = t.get<T>(i.from[1]);
  const u32 in = Uses ? t.carry : u32{Subtracts};
  const u128 result = u128{a} + (Subtracts ? static_cast<T>(~b) : b) + in;
  if (Sets) t.carry = static_cast<u32>(result >> width<T> & 1);
  t.put<T>(i.to, static_cast<T>(result));
  return &i + 1;
}
template <bool Subtracts, bool Uses>
void decode_carrying(decoder& d) {
  type of = d.require_type();
  of.what = type_class::unsigned_integer;
  const bool sets = d.take(".cc");
  const handler execute = choose<u32, u64>(of, [&]<class T>() -> handler {
    return sets ? with_carry<T, Subtracts, Uses, true> : with_carry<T, Subtracts, Uses, false>;
  });
  decode_computation(d, execute, {of, of});
}

template <class Plain, class Saturated, bool Subtracts>
void decode_sum(decoder& d) {
  if (d.has(".cc")) return decode_carrying<Subtracts, false>(d);
  if (d.take(".sat")) return decode_uniform<Saturated, 2, s32>(d);
  decode_uniform<Plain, 2, u16, u32, u64, s16, s32, s64>(d);
}

template <class Chosen>
handler choose_product(const type& of, const Chosen& chosen) {
  return choose<u16, u32, u64, s16, s32, s64>(of, chosen);
}

void decode_multiply(decoder& d) {
  const type of = d.require_type();
  const auto part = d.take_one_of({".lo", ".hi", ".wide"});
  if (part.empty() || (part == ".wide" && of.bytes == 8)) throw unsupported{};
  const handler execute = choose_product(of, [&]<class T>() -> handler {
    if (part == ".lo") return compute<multiply_low, T, T, T>;
    if (part == ".hi") return compute<multiply_high, T, T, T>;
    if constexpr (sizeof(T) < 8) return compute<multiply_wide, wide<T>, T, T>;
    return nullptr;
  });
  decode_computation(d, execute, {of, of});
}

void decode_multiply_add(decoder& d) {
  const type of = d.require_type();
  const auto part = d.take_one_of({".lo", ".hi", ".wide"});
  if (part.empty() || (part == ".wide" && of.bytes == 8)) throw unsupported{};
  type sum = of;
  if (part == ".wide") sum.bytes = static_cast<u8>(2 * of.bytes);
  const handler execute = choose_product(of, [&]<class T>() -> handler {
    if (part == ".lo") return compute<with_sum<multiply_low>, T, T, T, T>;
    if (part == ".hi") return compute<with_sum<multiply_high>, T, T, T, T>;
    if constexpr (sizeof(T) < 8) return compute<with_sum<multiply_wide>, wide<T>, T, T, wide<T>>;
    return nullptr;
  });
  decode_computation(d, execute, {of, of, sum});
}

void decode_dot_product(decoder& d) {
  const type a = d.require_type(), b = d.require_type();
  const bool signed_a = a.what == type_class::signed_integer;
  const bool signed_b = b.what == type_class::signed_integer;
  const handler execute = signed_a ? (signed_b ? compute<dot_product<s8, s8>, u32, u32, u32, u32>
                                               : compute<dot_product<s8, u8>, u32, u32, u32, u32>)
                                   : (signed_b ? compute<dot_product<u8, s8>, u32, u32, u32, u32>
                                               : compute<dot_product<u8, u8>, u32, u32, u32, u32>);
  constexpr type of = type_of<u32>();
  decode_computation(d, execute, {of, of, of});
}

}  // namespace

std::span<const opcode_row> integer_rows() {
  static constexpr opcode_row rows[] = {
      {"add", decode_sum<add, add_saturated, false>},
      {"sub", decode_sum<subtract, subtract_saturated, true>},
      {"addc", decode_carrying<false, true>},
      {"subc", decode_carrying<true, true>},
      {"mul", decode_multiply},
      {"mad", decode_multiply_add},
      {"div", decode_uniform<divide, 2, u16, u32, u64, s16, s32, s64>},
      {"rem", decode_uniform<remainder, 2, u16, u32, u64, s16, s32, s64>},
      {"min", decode_uniform<minimum, 2, u16, u32, u64, s16, s32, s64>},
      {"max", decode_uniform<maximum, 2, u16, u32, u64, s16, s32, s64>},
      {"neg", decode_uniform<negate, 1, s16, s32, s64>},
      {"abs", decode_uniform<absolute, 1, s16, s32, s64>},
      {"sad", decode_uniform<sum_of_differences, 3, u16, u32, u64, s16, s32, s64>},
      {"dp4a", decode_dot_product},
  };
  return rows;
}

}  // namespace ptx
