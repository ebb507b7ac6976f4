// SPDX-License-Identifier: Apache-2.0
// Comparisons: the result, and its opposite.
#include <ptx/execute/computing.hpp>

#include <cmath>

namespace ptx {

namespace {

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

/// .ftz
template <class Comparison>
struct of_flushed {
  template <class T>
  static bool of(T a, T b) {
    return Comparison::of(flushed(a), flushed(b));
  }
};

/// setp: to and also_to; number says how from[2] is joined.
template <class Comparison, class T>
const instruction* compare(thread_state& t, const instruction& i) {
  const bool result = Comparison::of(t.get<T>(i.from[0]), t.get<T>(i.from[1]));
  const auto how = static_cast<joined>(i.number);
  const bool other = how != joined::alone && t.get<bool>(i.from[2]);
  t.put<bool>(i.to, join(how, result, other));
  t.put<bool>(i.also_to, join(how, !result, other));
  return &i + 1;
}

template <class T>
handler comparison_named(std::string_view name, bool flushes) {
  const auto chosen = [&]<class Comparison>(Comparison) -> handler {
    if constexpr (std::is_same_v<T, float>)
      if (flushes) return compare<of_flushed<Comparison>, T>;
    return compare<Comparison, T>;
  };
  if (name == ".eq") return chosen(equal{});
  if (name == ".ne") return chosen(not_equal{});
  if (name == ".lt" || name == ".lo") return chosen(less{});
  if (name == ".le" || name == ".ls") return chosen(less_or_equal{});
  if (name == ".gt" || name == ".hi") return chosen(greater{});
  if (name == ".ge" || name == ".hs") return chosen(greater_or_equal{});
  if constexpr (is_real<T>) {
    if (name == ".equ") return chosen(or_unordered<equal>{});
    if (name == ".neu") return chosen(or_unordered<not_equal>{});
    if (name == ".ltu") return chosen(or_unordered<less>{});
    if (name == ".leu") return chosen(or_unordered<less_or_equal>{});
    if (name == ".gtu") return chosen(or_unordered<greater>{});
    if (name == ".geu") return chosen(or_unordered<greater_or_equal>{});
    if (name == ".num") return chosen(ordered{});
    if (name == ".nan") return chosen(unordered{});
  }
  return nullptr;
}

/// An instruction that compares, without its destinations.
instruction comparison(decoder& d, type of, std::size_t first_source) {
  const bool flushes = d.take(".ftz");
  const auto name =
      d.take_one_of({".eq", ".ne", ".lt", ".le", ".gt", ".ge", ".lo", ".ls", ".hi", ".hs", ".equ",
                     ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"});
  if (name == ".lo" || name == ".ls" || name == ".hi" || name == ".hs")
    of.what = type_class::unsigned_integer;
  instruction one;
  one.execute = choose<u16, u32, u64, s16, s32, s64, float, double>(
      of, [&]<class T>() -> handler { return comparison_named<T>(name, flushes); });
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
const instruction* value_of_truth(thread_state& t, const instruction& i) {
  t.write(i.to, t.get<bool>(i.from[0]) ? static_cast<u64>(i.number) : 0);
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

}  // namespace

std::span<const opcode_row> comparison_rows() {
  static constexpr opcode_row rows[] = {
      {"setp", decode_compare},
      {"set", decode_set},
  };
  return rows;
}

}  // namespace ptx
