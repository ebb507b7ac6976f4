// SPDX-License-Identifier: Apache-2.0
// From a function of values to the handler that applies it to slots, and to the row that chooses it
// by type.
#pragma once

#include <ptx/decode/decoder.hpp>
#include <ptx/execute/half.hpp>
#include <ptx/execute/thread_state.hpp>

#include <cstdint>
#include <utility>

namespace ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

template <class T>
inline constexpr u32 width = sizeof(T) * 8;

/// The same bits without a sign.
template <class T>
constexpr std::make_unsigned_t<T> raw(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

/// to = Operation::of(from...)
template <class Operation, class To, class... From>
const instruction* compute(thread_state& t, const instruction& i) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    t.put<To>(i.to, static_cast<To>(Operation::of(t.get<From>(i.from[Index])...)));
  }
  (std::index_sequence_for<From...>());
  return &i + 1;
}

template <class T>
constexpr type type_of() {
  using enum type_class;
  if constexpr (std::is_same_v<T, bool>) return {predicate, 1};
  if constexpr (std::is_same_v<T, bfloat>) return {real, 2, 1, true};
  if constexpr (std::is_same_v<T, half> || std::is_floating_point_v<T>) return {real, sizeof(T)};
  if constexpr (std::is_signed_v<T>) return {signed_integer, sizeof(T)};
  return {unsigned_integer, sizeof(T)};
}

/// The element of the list that `wanted` is; bits are unsigned. Calls chosen.operator()<T>().
/// \throws unsupported.
template <class... Ts, class Chosen>
handler choose(type wanted, const Chosen& chosen) {
  if (wanted.what == type_class::bits) wanted.what = type_class::unsigned_integer;
  handler found = nullptr;
  ((wanted == type_of<Ts>() ? void(found = chosen.template operator()<Ts>()) : void()), ...);
  if (found == nullptr) throw unsupported{};
  return found;
}

/// Decodes a destination and one source for each of the types.
inline void decode_computation(decoder& d, handler execute, std::initializer_list<type> sources) {
  instruction one{.execute = execute};
  d.expect_count("operand", d.operands(), sources.size() + 1);
  std::size_t at = 0;
  for (const type& of : sources) {
    one.from[at] = d.source(at + 1, of);
    ++at;
  }
  one.to = d.destination(0);
  d.emit(one);
}

/// `to` and `Sources` sources of one type out of the list.
template <class Operation, std::size_t Sources, class... Ts>
void decode_uniform(decoder& d) {
  const type of = d.require_type();
  const auto with = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    const handler execute = choose<Ts...>(of, []<class T>() -> handler {
      return compute<Operation, T, std::enable_if_t<Index + 1 != 0, T>...>;
    });
    decode_computation(d, execute, {((void)Index, of)...});
  };
  with(std::make_index_sequence<Sources>());
}

}  // namespace ptx
