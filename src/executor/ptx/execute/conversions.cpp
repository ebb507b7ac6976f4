// SPDX-License-Identifier: Apache-2.0
// Moves between registers, and conversions between types.
#include <ptx/execute/computing.hpp>
#include <ptx/execute/real_operations.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ptx {

namespace {

// --- moves

const instruction* move(thread_state& t, const instruction& i) {
  t.write(i.to, t.read(i.from[0]));
  return &i + 1;
}
const instruction* move_wide(thread_state& t, const instruction& i) {
  const u64 low = t.read(i.from[0]), high = t.read(i.from[0].upper());
  t.write(i.to, low);
  t.write(i.to.upper(), high);
  return &i + 1;
}

/// {a, b, ...} of `bytes` each to one register.
const instruction* pack(thread_state& t, const instruction& i) {
  u128 all = 0;
  const unsigned bits = 8u * i.bytes;
  for (unsigned at = 0; at < i.elements; ++at) {
    const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
    all |= u128{t.read(i.from[at]) & mask} << (bits * at);
  }
  t.write(i.to, static_cast<u64>(all));
  if (unsigned{i.elements} * bits == 128) t.write(i.to.upper(), static_cast<u64>(all >> 64));
  return &i + 1;
}

/// `bytes` of from[0], from bit `number` on.
const instruction* unpack(thread_state& t, const instruction& i) {
  const u64 word = t.read(i.number >= 64 ? i.from[0].upper() : i.from[0]) >> (i.number % 64);
  t.write(i.to, i.bytes == 8 ? word : word & ((u64{1} << (8 * i.bytes)) - 1));
  return &i + 1;
}

void decode_move(decoder& d) {
  const type of = d.require_type();
  d.expect_count("operand", d.operands(), 2);
  const operand_syntax &to = d.syntax(0), &from = d.syntax(1);
  constexpr auto group = operand_syntax::kind::group;
  const auto part_of = [&](const operand_syntax& whole) {
    const std::size_t parts = whole.parts.size();
    if ((parts != 2 && parts != 4) || of.bytes % parts != 0)
      d.refuse(fmt::format("cannot take {} bytes apart into {} registers", of.bytes, parts));
    return type{type_class::bits, static_cast<u8>(of.bytes / parts)};
  };
  if (from.what == group) {
    const type part = part_of(from);
    instruction one{.execute = pack, .bytes = part.bytes};
    one.elements = static_cast<u8>(from.parts.size());
    for (std::size_t i = 0; i < from.parts.size(); ++i) one.from[i] = d.source(from.parts[i], part);
    one.to = d.destination(to, of.bytes);
    return d.emit(one);
  }
  const operand source = d.source(from, of);
  if (to.what != group) {
    return d.emit({.execute = of.bytes == 16 ? move_wide : move,
                   .to = d.destination(to, of.bytes),
                   .from = {source}});
  }
  const type part = part_of(to);
  for (std::size_t i = 0; i < to.parts.size(); ++i) {
    d.emit({.execute = unpack,
            .number = static_cast<std::int64_t>(8 * part.bytes * i),
            .to = d.destination(to.parts[i]),
            .from = {source},
            .bytes = part.bytes});
  }
}

// --- conversions

struct conversion {
  bool is_whole = false;
  rounding whole = rounding::zero;  ///< .rni, .rzi, .rmi, .rpi
  rounding rounded = rounding::nearest;
  bool saturates = false, flushes = false, is_positive = false;

  std::int64_t packed() const {
    return (is_whole ? 0x800 : 0) | static_cast<int>(whole) | static_cast<int>(rounded) << 4 |
           (saturates ? 0x100 : 0) | (flushes ? 0x200 : 0) | (is_positive ? 0x400 : 0);
  }
  static conversion unpacked(std::int64_t bits) {
    return {.is_whole = (bits & 0x800) != 0,
            .whole = static_cast<rounding>(bits & 15),
            .rounded = static_cast<rounding>(bits >> 4 & 15),
            .saturates = (bits & 0x100) != 0,
            .flushes = (bits & 0x200) != 0,
            .is_positive = (bits & 0x400) != 0};
  }
};

/// No number becomes 0, or the highest bit where `From` or `To` has 64 bits: GPUs do so.
template <class To, class From>
To clamped(From value, bool is_long = false) {
  using limits = std::numeric_limits<To>;
  if constexpr (std::is_integral_v<From>) {
    const s128 wide = value;
    if (wide < limits::min()) return limits::min();
    if (wide > limits::max()) return limits::max();
    return static_cast<To>(value);
  } else {
    if (std::isnan(value)) return is_long ? static_cast<To>(u64{1} << (width<To> - 1)) : To{0};
    if (value <= static_cast<From>(limits::min())) return limits::min();
    if (value >= static_cast<From>(limits::max())) return limits::max();
    return static_cast<To>(value);
  }
}

template <class T>
auto as_number(T value) {
  if constexpr (is_half<T>)
    return static_cast<float>(value);
  else
    return value;
}

template <class T>
constexpr bool is_any_real = std::is_floating_point_v<T> || is_half<T>;

/// The value as one of the type: rounded once.
template <class To, class From>
To rounded_as(From value, rounding how) {
  using number = std::conditional_t<std::is_integral_v<From>, long double, From>;
  if constexpr (is_half<To>) {
    return To(static_cast<number>(value), how);
  } else {
    if (how == rounding::nearest) return static_cast<To>(value);
    constexpr bool is_single = std::is_same_v<To, float>;
    constexpr real_shape shape{is_single ? 23 : 52, is_single ? -126 : -1022,
                               is_single ? 127 : 1023};
    return static_cast<To>(rounded_to(static_cast<number>(value), shape, how));
  }
}

/// `number`: the conversion. Only f32 is flushed, and not to f16: GPUs round that in the direction.
template <class To, class From>
const instruction* convert(thread_state& t, const instruction& i) {
  const conversion how = conversion::unpacked(i.number);
  auto value = as_number(t.get<From>(i.from[0]));
  if constexpr (std::is_same_v<From, float>)
    if (how.flushes && !std::is_same_v<To, half>) {
      value = flushed(value);
      if (std::isnan(value)) value = std::bit_cast<float>(0x7fffffffu);
    }
  if constexpr (!is_any_real<To>) {
    if constexpr (is_any_real<From>)
      t.put<To>(i.to,
                clamped<To>(to_whole(value, how.whole), sizeof(To) == 8 || sizeof(From) == 8));
    else
      t.put<To>(i.to, how.saturates ? clamped<To>(value) : static_cast<To>(value));
  } else if constexpr (!is_any_real<From>) {
    t.put<To>(i.to, rounded_as<To>(value, how.rounded));
  } else {
    if (how.is_whole) value = std::isnan(value) ? real::quiet(value) : to_whole(value, how.whole);
    if (how.saturates) value = value > 0 ? (value < 1 ? value : decltype(value){1}) : 0;
    if (how.is_positive && value <= 0) value = 0;
    To result = rounded_as<To>(value, how.rounded);
    if constexpr (std::is_same_v<To, float>)
      if (how.flushes) result = flushed(result);
    t.put<To>(i.to, result);
  }
  return &i + 1;
}

template <class To>
handler conversion_from(const type& from) {
  return choose<u8, u16, u32, u64, s8, s16, s32, s64, half, bfloat, float, double>(
      from, []<class From>() -> handler { return convert<To, From>; });
}

/// Two floats to one pair, the first in the upper half.
template <class H>
const instruction* pack_halves(thread_state& t, const instruction& i) {
  const conversion how = conversion::unpacked(i.number);
  u32 pair = 0;
  for (const operand from : {i.from[0], i.from[1]}) {
    const auto value = t.get<float>(from);
    pair = pair << 16 | H(how.is_positive && value <= 0 ? 0 : value, how.rounded).bits;
  }
  t.put<u32>(i.to, pair);
  return &i + 1;
}

/// f32 to tf32: ten bits of the fraction; ties are rounded away from zero.
const instruction* shorten(thread_state& t, const instruction& i) {
  const u32 bits = t.get<u32>(i.from[0]);
  const bool is_finite = (bits & 0x7f800000) != 0x7f800000;
  t.put<u32>(i.to, (bits + (is_finite ? 0x1000 : 0)) & ~u32{0x1fff});
  return &i + 1;
}

rounding rounding_named(std::string_view name) {
  switch (name[2]) {
    case 'z':
      return rounding::zero;
    case 'm':
      return rounding::down;
    case 'p':
      return rounding::up;
    default:
      return rounding::nearest;
  }
}

void decode_convert(decoder& d) {
  const type to = d.require_type(), from = d.require_type();
  const auto whole = d.take_one_of({".rni", ".rzi", ".rmi", ".rpi"});
  const auto rounded = d.take_one_of({".rn", ".rna", ".rz", ".rm", ".rp"});
  conversion how{
      .saturates = d.take(".sat"), .flushes = d.take(".ftz"), .is_positive = d.take(".relu")};
  how.is_whole = !whole.empty();
  if (how.is_whole) how.whole = rounding_named(whole);
  if (!rounded.empty()) how.rounded = rounding_named(rounded);
  const bool is_to_short = to == type{type_class::real, 4, 1, true};
  if (is_to_short != (rounded == ".rna")) throw unsupported{};
  instruction one{.number = how.packed()};
  if (is_to_short || to.elements == 2) {
    if (from != type_of<float>()) throw unsupported{};
    one.execute = is_to_short         ? shorten
                  : to.is_alternative ? pack_halves<bfloat>
                                      : pack_halves<half>;
  } else {
    one.execute = choose<u8, u16, u32, u64, s8, s16, s32, s64, half, bfloat, float, double>(
        to, [&]<class To>() -> handler { return conversion_from<To>(from); });
  }
  const std::size_t sources = to.elements;
  d.expect_count("operand", d.operands(), sources + 1);
  for (std::size_t at = 0; at < sources; ++at) one.from[at] = d.source(at + 1, from);
  one.to = d.destination(0);
  d.emit(one);
}

}  // namespace

std::span<const opcode_row> conversion_rows() {
  static constexpr opcode_row rows[] = {
      {"mov", decode_move},
      {"cvt", decode_convert},
  };
  return rows;
}

}  // namespace ptx
