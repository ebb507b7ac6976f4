// Moves between registers, comparisons, and conversions between types.
#include <ptx/execute/computing.hpp>

#include <cmath>
#include <limits>

namespace ptx {

namespace {

// --- comparisons: the result, and its opposite

template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;

struct equal {
  template <class T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct not_equal {
  template <class T>
  static bool of(T a, T b) {
    if constexpr (is_real<T>) return a < b || a > b;  // false without an order
    return a != b;
  }
};
struct less {
  template <class T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct less_or_equal {
  template <class T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
struct greater {
  template <class T>
  static bool of(T a, T b) {
    return a > b;
  }
};
struct greater_or_equal {
  template <class T>
  static bool of(T a, T b) {
    return a >= b;
  }
};
struct unordered {
  template <class T>
  static bool of(T a, T b) {
    if constexpr (is_real<T>) return std::isnan(a) || std::isnan(b);
    return false;
  }
};
struct ordered {
  template <class T>
  static bool of(T a, T b) {
    return !unordered::of(a, b);
  }
};
template <class Comparison>
struct or_unordered {
  template <class T>
  static bool of(T a, T b) {
    return unordered::of(a, b) || Comparison::of(a, b);
  }
};

enum class joined : u8 { alone, with_and, with_or, with_xor };

bool join(joined how, bool a, bool b) {
  switch (how) {
    case joined::with_and:
      return a && b;
    case joined::with_or:
      return a || b;
    case joined::with_xor:
      return a != b;
    default:
      return a;
  }
}

/// setp: to and also_to; number says how from[2] is joined.
template <class Comparison, class T>
const instruction* compare(machine& m, const instruction& i) {
  const bool result = Comparison::of(m.get<T>(i.from[0]), m.get<T>(i.from[1]));
  const auto how = static_cast<joined>(i.number);
  const bool other = how != joined::alone && m.get<bool>(i.from[2]);
  m.put<bool>(i.to, join(how, result, other));
  m.put<bool>(i.also_to, join(how, !result, other));
  return &i + 1;
}

template <class T>
handler comparison_named(std::string_view name) {
  if (name == ".eq") return compare<equal, T>;
  if (name == ".ne") return compare<not_equal, T>;
  if (name == ".lt" || name == ".lo") return compare<less, T>;
  if (name == ".le" || name == ".ls") return compare<less_or_equal, T>;
  if (name == ".gt" || name == ".hi") return compare<greater, T>;
  if (name == ".ge" || name == ".hs") return compare<greater_or_equal, T>;
  if constexpr (is_real<T>) {
    if (name == ".equ") return compare<or_unordered<equal>, T>;
    if (name == ".neu") return compare<or_unordered<not_equal>, T>;
    if (name == ".ltu") return compare<or_unordered<less>, T>;
    if (name == ".leu") return compare<or_unordered<less_or_equal>, T>;
    if (name == ".gtu") return compare<or_unordered<greater>, T>;
    if (name == ".geu") return compare<or_unordered<greater_or_equal>, T>;
    if (name == ".num") return compare<ordered, T>;
    if (name == ".nan") return compare<unordered, T>;
  }
  return nullptr;
}

/// An instruction that compares, without its destinations.
instruction comparison(decoder& d, type of, std::size_t first_source) {
  d.take(".ftz");
  const auto name =
      d.take_one_of({".eq", ".ne", ".lt", ".le", ".gt", ".ge", ".lo", ".ls", ".hi", ".hs", ".equ",
                     ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"});
  if (name == ".lo" || name == ".ls" || name == ".hi" || name == ".hs")
    of.what = type_class::unsigned_integer;
  instruction one;
  one.execute = choose<u16, u32, u64, s16, s32, s64, float, double>(
      of, [&]<class T>() -> handler { return comparison_named<T>(name); });
  const auto how = d.take_one_of({".and", ".or", ".xor"});
  one.number = static_cast<std::int64_t>(how == ".and"  ? joined::with_and
                                         : how == ".or" ? joined::with_or
                                         : how.empty()  ? joined::alone
                                                        : joined::with_xor);
  one.from[0] = d.source(first_source, of);
  one.from[1] = d.source(first_source + 1, of);
  if (!how.empty()) one.from[2] = d.source(first_source + 2, type_of<bool>());
  return one;
}

void decode_compare(decoder& d) {
  const type of = d.require_type();
  instruction one = comparison(d, of, 1);
  d.destinations(0, one);
  d.emit(one);
}

/// to = from[0] ? number : 0
const instruction* value_of_truth(machine& m, const instruction& i) {
  m.write(i.to, m.get<bool>(i.from[0]) ? static_cast<u64>(i.number) : 0);
  return &i + 1;
}

void decode_set(decoder& d) {
  const type to = d.require_type(), of = d.require_type();
  instruction one = comparison(d, of, 1);
  one.to = d.temporary();
  one.also_to = d.temporary();
  d.emit(one);
  if (to.bytes != 4) throw unsupported{};
  d.emit({.execute = value_of_truth,
          .number = to.what == type_class::real ? 0x3f800000 : -1,
          .to = d.destination(0),
          .from = {one.to}});
}

// --- moves

const instruction* move(machine& m, const instruction& i) {
  m.write(i.to, m.read(i.from[0]));
  return &i + 1;
}
const instruction* move_wide(machine& m, const instruction& i) {
  const u64 low = m.read(i.from[0]), high = m.read(i.from[0].upper());
  m.write(i.to, low);
  m.write(i.to.upper(), high);
  return &i + 1;
}

/// {a, b, ...} of `bytes` each to one register.
const instruction* pack(machine& m, const instruction& i) {
  u128 all = 0;
  const unsigned bits = 8u * i.bytes;
  for (unsigned at = 0; at < i.elements; ++at) {
    const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
    all |= u128{m.read(i.from[at]) & mask} << (bits * at);
  }
  m.write(i.to, static_cast<u64>(all));
  if (unsigned{i.elements} * bits == 128) m.write(i.to.upper(), static_cast<u64>(all >> 64));
  return &i + 1;
}

/// `bytes` of from[0], from bit `number` on.
const instruction* unpack(machine& m, const instruction& i) {
  const u64 word = m.read(i.number >= 64 ? i.from[0].upper() : i.from[0]) >> (i.number % 64);
  m.write(i.to, i.bytes == 8 ? word : word & ((u64{1} << (8 * i.bytes)) - 1));
  return &i + 1;
}

void decode_move(decoder& d) {
  const type of = d.require_type();
  if (d.operands() != 2) d.refuse("a wrong number of operands");
  const operand_syntax &to = d.syntax(0), &from = d.syntax(1);
  constexpr auto group = operand_syntax::kind::group;
  const auto part_of = [&](const operand_syntax& whole) {
    const std::size_t parts = whole.parts.size();
    if ((parts != 2 && parts != 4) || of.bytes % parts != 0) d.refuse("a wrong number of parts");
    return type{type_class::bits, static_cast<u8>(of.bytes / parts)};
  };
  if (from.what == group) {
    const type part = part_of(from);
    instruction one{.execute = pack, .bytes = part.bytes};
    one.elements = static_cast<u8>(from.parts.size());
    for (std::size_t i = 0; i < from.parts.size(); ++i) one.from[i] = d.source(from.parts[i], part);
    one.to = d.destination(to);
    return d.emit(one);
  }
  const operand source = d.source(from, of);
  if (to.what != group) {
    return d.emit(
        {.execute = of.bytes == 16 ? move_wide : move, .to = d.destination(to), .from = {source}});
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

enum class rounding : u8 { none, nearest, zero, down, up };

template <class T>
T to_whole(T value, rounding how) {
  switch (how) {
    case rounding::nearest:
      return std::nearbyint(value);
    case rounding::down:
      return std::floor(value);
    case rounding::up:
      return std::ceil(value);
    default:
      return std::trunc(value);
  }
}

template <class To, class From>
To clamped(From value) {
  using limits = std::numeric_limits<To>;
  if constexpr (std::is_integral_v<From>) {
    const s128 wide = value;
    if (wide < limits::min()) return limits::min();
    if (wide > limits::max()) return limits::max();
    return static_cast<To>(value);
  } else {
    if (std::isnan(value)) return 0;
    if (value <= static_cast<From>(limits::min())) return limits::min();
    if (value >= static_cast<From>(limits::max())) return limits::max();
    return static_cast<To>(value);
  }
}

template <class T>
auto as_number(T value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat>)
    return static_cast<float>(value);
  else
    return value;
}

template <class T>
constexpr bool is_any_real = is_real<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat>;

/// `number`: the rounding; `is_signed`: saturates. Subnormal numbers are kept.
template <class To, class From>
const instruction* convert(machine& m, const instruction& i) {
  const auto how = static_cast<rounding>(i.number);
  const auto value = as_number(m.get<From>(i.from[0]));
  if constexpr (!is_any_real<To>) {
    if constexpr (is_any_real<From>)
      m.put<To>(i.to, clamped<To>(to_whole(value, how)));
    else
      m.put<To>(i.to, i.is_signed ? clamped<To>(value) : static_cast<To>(value));
  } else if constexpr (!is_any_real<From>) {
    if constexpr (is_real<To>)
      m.put<To>(i.to, static_cast<To>(value));
    else
      m.put<To>(i.to, To(static_cast<float>(value)));
  } else {
    auto number = how == rounding::none ? value : to_whole(value, how);
    if (i.is_signed) number = number > 0 ? (number < 1 ? number : decltype(number){1}) : 0;
    if constexpr (is_real<To>)
      m.put<To>(i.to, static_cast<To>(number));
    else
      m.put<To>(i.to, To(static_cast<float>(number)));
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
const instruction* pack_halves(machine& m, const instruction& i) {
  const u32 high = H(m.get<float>(i.from[0])).bits, low = H(m.get<float>(i.from[1])).bits;
  m.put<u32>(i.to, high << 16 | low);
  return &i + 1;
}

void decode_convert(decoder& d) {
  const type to = d.require_type(), from = d.require_type();
  const auto whole = d.take_one_of({".rni", ".rzi", ".rmi", ".rpi"});
  const auto rounded = d.take_one_of({".rn", ".rna", ".rz", ".rm", ".rp"});
  const bool to_real = to.what == type_class::real, from_real = from.what == type_class::real;
  // Of the two formats of 16 bits, neither holds all values of the other.
  const bool narrows =
      to_real && (!from_real || to.bytes < from.bytes || (to.bytes == from.bytes && to != from));
  if (!rounded.empty() && rounded != ".rn" && narrows) throw unsupported{};
  d.take(".ftz");
  if (to.elements == 2) {
    if (from != type_of<float>() || d.operands() != 3) throw unsupported{};
    return decode_computation(d, to.is_alternative ? pack_halves<bfloat> : pack_halves<half>,
                              {from, from});
  }
  if (d.operands() != 2) d.refuse("a wrong number of operands");
  instruction one;
  one.execute = choose<u8, u16, u32, u64, s8, s16, s32, s64, half, bfloat, float, double>(
      to, [&]<class To>() -> handler { return conversion_from<To>(from); });
  one.number = static_cast<std::int64_t>(whole == ".rni"   ? rounding::nearest
                                         : whole == ".rzi" ? rounding::zero
                                         : whole == ".rmi" ? rounding::down
                                         : whole == ".rpi" ? rounding::up
                                                           : rounding::none);
  one.is_signed = d.take(".sat");
  one.from[0] = d.source(1, from);
  one.to = d.destination(0);
  d.emit(one);
}

constexpr opcode_row rows[] = {
    {"setp", decode_compare},
    {"set", decode_set},
    {"mov", decode_move},
    {"cvt", decode_convert},
};

}  // namespace

std::span<const opcode_row> conversion_rows() {
  return rows;
}

}  // namespace ptx
