// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, and choices between values.
#include <ptx/execute/computing.hpp>

#include <algorithm>
#include <bit>

namespace ptx {

namespace {

struct bit_and {
  template <class T>
  static T of(T a, T b) {
    return a & b;
  }
};
struct bit_or {
  template <class T>
  static T of(T a, T b) {
    return a | b;
  }
};
struct bit_xor {
  template <class T>
  static T of(T a, T b) {
    return a ^ b;
  }
};
struct bit_not {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};
struct is_zero {
  template <class T>
  static T of(T a) {
    return a == 0;
  }
};
struct choose_by {
  template <class T>
  static T of(T a, T b, bool which) {
    return which ? a : b;
  }
};
struct choose_by_sign {
  template <class T, class By>
  static T of(T a, T b, By sign) {
    return sign >= 0 ? a : b;
  }
};
struct choose_by_flushed_sign {
  template <class T>
  static T of(T a, T b, float sign) {
    return flushed(sign) >= 0 ? a : b;
  }
};

struct shift_left {
  template <class T>
  static T of(T a, u32 by) {
    return by >= width<T> ? T{0} : static_cast<T>(raw(a) << by);
  }
};
struct shift_right {
  template <class T>
  static T of(T a, u32 by) {
    if (by >= width<T>) return a < 0 ? static_cast<T>(-1) : T{0};
    return static_cast<T>(a >> by);
  }
};
template <bool Left, bool Wraps>
struct funnel_shift {
  static u32 of(u32 low, u32 high, u32 by) {
    by = Wraps ? by & 31 : std::min(by, 32u);
    const u64 both = u64{high} << 32 | low;
    return static_cast<u32>(Left ? both << by >> 32 : both >> by);
  }
};

/// A field's position or length: GPUs look at eight bits of it, but at all for fields of 64 bits.
template <class T>
u32 field_number(u32 value) {
  return width<T> == 64 ? std::min(value, 255u) : value & 255;
}
struct extract_field {
  template <class T>
  static T of(T a, u32 position, u32 length) {
    position = field_number<T>(position);
    length = field_number<T>(length);
    if (length == 0) return 0;
    const u32 last = std::min(position + length - 1, width<T> - 1);
    const bool is_negative = std::is_signed_v<T> && (raw(a) >> last & 1) != 0;
    u64 field = position >= width<T> ? 0 : u64{raw(a)} >> position;
    const u32 valid = position >= width<T> ? 0 : std::min(length, width<T> - position);
    const u64 mask = valid >= 64 ? ~u64{0} : (u64{1} << valid) - 1;
    field &= mask;
    if (is_negative) field |= ~mask;
    return static_cast<T>(field);
  }
};
struct insert_field {
  template <class T>
  static T of(T a, T b, u32 position, u32 length) {
    position = field_number<T>(position);
    length = field_number<T>(length);
    if (length == 0 || position >= width<T>) return b;
    const T ones =
        length >= width<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
    const T mask = static_cast<T>(ones << position);
    return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
  }
};
template <bool WantsShift>
struct find_bit {
  template <class T>
  static u32 of(T a) {
    const auto bits = raw(a < 0 ? static_cast<T>(~a) : a);
    if (bits == 0) return ~0u;
    const auto zeros = static_cast<u32>(std::countl_zero(bits));
    return WantsShift ? zeros : width<T> - 1 - zeros;
  }
};
template <bool Clamps>
struct bit_mask {
  static u32 of(u32 position, u32 length) {
    if (!Clamps) position &= 31, length &= 31;
    if (position >= 32 || length == 0) return 0;
    return (length >= 32 ? ~0u : (1u << length) - 1) << position;
  }
};
struct reverse_bits {
  template <class T>
  static T of(T a) {
    T result = 0;
    for (u32 i = 0; i < width<T>; ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
    return result;
  }
};
struct leading_zeros {
  template <class T>
  static u32 of(T a) {
    return static_cast<u32>(std::countl_zero(a));
  }
};
struct count_ones {
  template <class T>
  static u32 of(T a) {
    return static_cast<u32>(std::popcount(a));
  }
};
struct permute_bytes {
  static u32 of(u32 a, u32 b, u32 selector) {
    const u64 both = u64{b} << 32 | a;
    u32 result = 0;
    for (u32 i = 0; i < 4; ++i) {
      const u32 chosen = selector >> (4 * i) & 15;
      u32 byte = static_cast<u32>(both >> (8 * (chosen & 7)) & 255);
      if ((chosen & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};
struct any_logic {
  static u32 of(u32 a, u32 b, u32 c, u32 table) {
    u32 result = 0;
    for (u32 row = 0; row < 8; ++row) {
      if ((table >> row & 1) == 0) continue;
      result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    }
    return result;
  }
};
/// A value of the given type, then `Numbers` of .u32.
template <class Operation, std::size_t Values, std::size_t Numbers, class... Ts>
void decode_with_numbers(decoder& d) {
  const type of = d.require_type();
  const type number = type_of<u32>();
  const handler execute = choose<Ts...>(of, []<class T>() -> handler {
    if constexpr (Values == 1 && Numbers == 1) return compute<Operation, T, T, u32>;
    if constexpr (Values == 1 && Numbers == 2) return compute<Operation, T, T, u32, u32>;
    if constexpr (Values == 2 && Numbers == 2) return compute<Operation, T, T, T, u32, u32>;
  });
  if constexpr (Values == 1 && Numbers == 1) decode_computation(d, execute, {of, number});
  if constexpr (Values == 1 && Numbers == 2) decode_computation(d, execute, {of, number, number});
  if constexpr (Values == 2 && Numbers == 2)
    decode_computation(d, execute, {of, of, number, number});
}

/// A .u32 of a value.
template <class Operation, class... Ts>
void decode_count(decoder& d) {
  const type of = d.require_type();
  decode_computation(
      d, choose<Ts...>(of, []<class T>() -> handler { return compute<Operation, u32, T>; }), {of});
}

void decode_find(decoder& d) {
  if (d.take(".shiftamt")) return decode_count<find_bit<true>, u32, u64, s32, s64>(d);
  decode_count<find_bit<false>, u32, u64, s32, s64>(d);
}

void decode_funnel_shift(decoder& d) {
  const bool left = d.take_one_of({".l", ".r"}) == ".l", wraps = d.take(".wrap");
  if (!wraps) d.take(".clamp");
  d.take_type();
  const handler execute = left ? (wraps ? compute<funnel_shift<true, true>, u32, u32, u32, u32>
                                        : compute<funnel_shift<true, false>, u32, u32, u32, u32>)
                               : (wraps ? compute<funnel_shift<false, true>, u32, u32, u32, u32>
                                        : compute<funnel_shift<false, false>, u32, u32, u32, u32>);
  constexpr type of = type_of<u32>();
  decode_computation(d, execute, {of, of, of});
}

void decode_mask(decoder& d) {
  const bool clamps = d.take_one_of({".clamp", ".wrap"}) == ".clamp";
  d.take_type();
  constexpr type of = type_of<u32>();
  decode_computation(
      d, clamps ? compute<bit_mask<true>, u32, u32, u32> : compute<bit_mask<false>, u32, u32, u32>,
      {of, of});
}

template <class Operation, std::size_t Sources>
void decode_b32(decoder& d) {
  if (d.require_type() != type{type_class::bits, 4}) throw unsupported{};
  constexpr type of = type_of<u32>();
  if constexpr (Sources == 3)
    decode_computation(d, compute<Operation, u32, u32, u32, u32>, {of, of, of});
  else
    decode_computation(d, compute<Operation, u32, u32, u32, u32, u32>, {of, of, of, of});
}

void decode_select(decoder& d) {
  type of = d.require_type();
  type as = of;
  as.what = type_class::unsigned_integer;
  const handler execute = choose<u16, u32, u64>(
      as, []<class T>() -> handler { return compute<choose_by, T, T, T, bool>; });
  decode_computation(d, execute, {of, of, type_of<bool>()});
}

void decode_select_by_sign(decoder& d) {
  type of = d.require_type();
  const type by = d.require_type();
  type as = of;
  as.what = type_class::unsigned_integer;
  const bool flushes = d.take(".ftz");
  const handler execute = choose<u16, u32, u64>(as, [&]<class T>() -> handler {
    if (by.what != type_class::real) return compute<choose_by_sign, T, T, T, s32>;
    return flushes ? compute<choose_by_flushed_sign, T, T, T, float>
                   : compute<choose_by_sign, T, T, T, float>;
  });
  decode_computation(d, execute, {of, of, by});
}

}  // namespace

std::span<const opcode_row> bit_rows() {
  static constexpr opcode_row rows[] = {
      {"and", decode_uniform<bit_and, 2, bool, u16, u32, u64>},
      {"or", decode_uniform<bit_or, 2, bool, u16, u32, u64>},
      {"xor", decode_uniform<bit_xor, 2, bool, u16, u32, u64>},
      {"not", decode_uniform<bit_not, 1, bool, u16, u32, u64>},
      {"cnot", decode_uniform<is_zero, 1, u16, u32, u64>},
      {"lop3", decode_b32<any_logic, 4>},
      {"shl", decode_with_numbers<shift_left, 1, 1, u16, u32, u64>},
      {"shr", decode_with_numbers<shift_right, 1, 1, u16, u32, u64, s16, s32, s64>},
      {"shf", decode_funnel_shift},
      {"bfe", decode_with_numbers<extract_field, 1, 2, u32, u64, s32, s64>},
      {"bfi", decode_with_numbers<insert_field, 2, 2, u32, u64>},
      {"bfind", decode_find},
      {"bmsk", decode_mask},
      {"brev", decode_uniform<reverse_bits, 1, u32, u64>},
      {"clz", decode_count<leading_zeros, u32, u64>},
      {"popc", decode_count<count_ones, u32, u64>},
      {"prmt", decode_b32<permute_bytes, 3>},
      {"selp", decode_select},
      {"slct", decode_select_by_sign},
  };
  return rows;
}

}  // namespace ptx
