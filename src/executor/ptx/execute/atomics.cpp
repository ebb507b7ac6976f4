// SPDX-License-Identifier: Apache-2.0
// Read-modify-writes, fences.
#include <ptx/execute/accesses.hpp>
#include <ptx/execute/computing.hpp>
#include <ptx/execute/copies.hpp>
#include <simt/async_threads.hpp>

namespace ptx {

namespace {

simt::word value_in(const thread_state& t, operand from, unsigned bytes) {
  if (bytes == 16) return {t.read(from), t.read(from.upper())};
  const u64 value = t.read(from);
  return {bytes == 8 ? value : value & ((u64{1} << (8 * bytes)) - 1), 0};
}

void put_old(thread_state& t, const instruction& i, const simt::word& old) {
  t.write(i.to, old.low);
  if (i.bytes == 16) t.write(i.to.upper(), old.high);
}

simt::operation operation_of(const instruction& i, std::byte* at) {
  return {.kind = i.kind,
          .order = i.order,
          .reach = i.reach,
          .bytes = i.bytes,
          .is_signed = i.is_signed,
          .address = at};
}

std::byte* atomic_address(const thread_state& t, const instruction& i, bool is_shared) {
  std::byte* const at = is_shared ? address_of<true>(t, i) : address_of<false>(t, i);
  if (t.is_private(at, i.bytes)) fail_at(i, atomic_in_local);
  return at;
}

template <bool IsShared>
const instruction* read_modify_write(thread_state& t, const instruction& i) {
  simt::operation op = operation_of(i, atomic_address(t, i, IsShared));
  op.operand = value_in(t, i.from[1], i.bytes);
  put_old(t, i, simt::perform_at(&i, op));
  return &i + 1;
}

/// from[1]: what is expected; from[2]: what is stored then.
template <bool IsShared>
const instruction* compare_and_swap(thread_state& t, const instruction& i) {
  simt::operation op = operation_of(i, atomic_address(t, i, IsShared));
  op.expected = value_in(t, i.from[1], i.bytes);
  op.operand = value_in(t, i.from[2], i.bytes);
  put_old(t, i, simt::perform_at(&i, op));
  return &i + 1;
}

struct sum {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a + b;
    else
      return T(static_cast<float>(a) + static_cast<float>(b));
  }
};

/// Whether subnormal numbers are flushed: as the manual says, of f32 outside of shared memory.
template <class Change, class T, bool IsShared>
bool change_flushes(const thread_state& t, const std::byte* at) {
  u32 offset = 0;
  return !IsShared && std::is_same_v<Change, sum> && std::is_same_v<T, float> &&
         !find_shared(t, reinterpret_cast<u64>(at), offset);
}

/// Changes that the executor has no operation for: attempts to exchange, until one succeeds.
template <class Change, class T, bool IsShared>
const instruction* change(thread_state& t, const instruction& i) {
  std::byte* const at = atomic_address(t, i, IsShared);
  const bool flushes = change_flushes<Change, T, IsShared>(t, at);
  const T argument = t.get<T>(i.from[1]);
  simt::operation first = operation_of(i, at);
  first.kind = simt::op_kind::load;
  first.order = simt::memory_order::relaxed;
  u64 old = simt::perform_at(&i, first).low;
  for (;;) {
    T value;
    std::memcpy(static_cast<void*>(&value), &old, sizeof value);
    T changed = Change::of(value, argument);
    if constexpr (std::is_same_v<T, float>)
      if (flushes) changed = flushed(Change::of(flushed(value), flushed(argument)));
    simt::operation attempt = operation_of(i, at);
    attempt.expected = {old, 0};
    std::memcpy(&attempt.operand.low, &changed, sizeof changed);
    const u64 found = simt::perform_at(&i, attempt).low;
    if (found == old) break;
    old = found;
  }
  put_old(t, i, {old, 0});
  return &i + 1;
}

/// Both halves of a word.
template <class H>
struct pair_sum {
  static u32 of(u32 a, u32 b) {
    u32 pair = 0;
    for (const unsigned shift : {0u, 16u}) {
      H one, other;
      one.bits = static_cast<u16>(a >> shift);
      other.bits = static_cast<u16>(b >> shift);
      pair |= u32{sum::of(one, other).bits} << shift;
    }
    return pair;
  }
};
struct increment {
  static u32 of(u32 old, u32 last) { return old >= last ? 0 : old + 1; }
};
struct decrement {
  static u32 of(u32 old, u32 last) { return old == 0 || old > last ? last : old - 1; }
};

template <bool IsShared>
handler change_for(std::string_view name, const type& of) {
  if (name == ".inc")
    return choose<u32>(of, []<class T>() -> handler { return change<increment, T, IsShared>; });
  if (name == ".dec")
    return choose<u32>(of, []<class T>() -> handler { return change<decrement, T, IsShared>; });
  if (name != ".add") throw unsupported{};
  if (of.elements == 2)
    return of.is_alternative ? change<pair_sum<bfloat>, u32, IsShared>
                             : change<pair_sum<half>, u32, IsShared>;
  return choose<half, bfloat, float, double>(
      of, []<class T>() -> handler { return change<sum, T, IsShared>; });
}

struct rmw_name {
  std::string_view name;
  simt::op_kind kind;
};
constexpr rmw_name rmw_names[] = {
    {".add", simt::op_kind::fetch_add},        {".and", simt::op_kind::fetch_and},
    {".or", simt::op_kind::fetch_or},          {".xor", simt::op_kind::fetch_xor},
    {".min", simt::op_kind::fetch_min},        {".max", simt::op_kind::fetch_max},
    {".exch", simt::op_kind::exchange},        {".cas", simt::op_kind::compare_exchange},
    {".inc", simt::op_kind::compare_exchange}, {".dec", simt::op_kind::compare_exchange},
};

/// With the old value as a result (atom), or without (red). A vector is one change for each of its
/// elements: they are atomic each, not together.
template <bool HasResult>
void decode_atomic(decoder& d) {
  if (!HasResult && d.take(".async")) return decode_async_reduction(d);
  const address_space space = take_space(d);
  const ordering how = take_ordering(d);
  take_cache_hints(d);
  d.take(".noftz");
  const rmw_name* which = nullptr;
  for (const rmw_name& one : rmw_names)
    if (which == nullptr && d.take(one.name)) which = &one;
  const bool is_vector = !d.take_one_of({".v2", ".v4", ".v8"}).empty();
  const type of = d.require_type();
  if (which == nullptr || of.bytes == 1) throw unsupported{};
  instruction one{.kind = which->kind,
                  .order = how.order,
                  .reach = how.reach,
                  .bytes = static_cast<u8>(of.bytes * of.elements),
                  .is_signed = of.what == type_class::signed_integer};
  constexpr std::size_t address_at = HasResult ? 1 : 0;
  const bool is_shared = joined_space(space, d.address(address_at, one)) == address_space::shared;
  const auto changes = registers_of(d.syntax(address_at + 1));
  const auto results = registers_of(d.syntax(0));
  if (is_vector != (changes.size() > 1))
    d.refuse(is_vector ? "expected several registers" : "expected one register");
  if (HasResult) d.expect_count("register", results.size(), changes.size());
  if (which->name == ".cas") {
    one.execute = is_shared ? compare_and_swap<true> : compare_and_swap<false>;
    one.from[2] = d.source(address_at + 2, of);
  } else if (of.what == type_class::real || which->kind == simt::op_kind::compare_exchange) {
    one.kind = simt::op_kind::compare_exchange;
    one.execute =
        is_shared ? change_for<true>(which->name, of) : change_for<false>(which->name, of);
  } else {
    one.execute = is_shared ? read_modify_write<true> : read_modify_write<false>;
  }
  for (std::size_t k = 0; k < changes.size(); ++k) {
    one.from[1] = d.source(*changes[k], of);
    one.to = HasResult ? d.destination(*results[k], one.bytes) : d.temporary();
    d.emit(one);
    one.number = offset_sum(one.number, one.bytes);
  }
}

const instruction* perform_fence(thread_state&, const instruction& i) {
  simt::perform_at(&i, {.kind = simt::op_kind::fence, .order = i.order, .reach = i.reach});
  return &i + 1;
}

void emit_fence(decoder& d, simt::memory_order order, simt::scope reach) {
  if (reach == simt::scope::system) d.all().code().fences_system = true;
  d.emit({.execute = perform_fence, .order = order, .reach = reach});
}

void decode_old_fence(decoder& d) {
  const auto level = d.take_one_of({".cta", ".gl", ".sys"});
  if (level.empty()) throw unsupported{};
  emit_fence(d, simt::memory_order::seq_cst,
             level == ".cta"  ? simt::scope::block
             : level == ".gl" ? simt::scope::device
                              : simt::scope::system);
}

const instruction* perform_proxy_fence(thread_state&, const instruction& i) {
  simt::proxy_fence();
  return &i + 1;
}

/// Of proxies, only the asynchronous one is modelled. Its fences are so for all spaces.
void decode_proxy_fence(decoder& d) {
  const bool is_async = d.has(".async") || d.has(".async::generic");
  d.take_all_beginning_with(".");
  if (is_async) d.emit({.execute = perform_proxy_fence});
}

void decode_fence(decoder& d) {
  if (d.has(".proxy")) return decode_proxy_fence(d);
  d.take(".mbarrier_init");
  d.take_all_beginning_with(".sync_restrict::");
  const bool has_order =
      d.has(".sc") || d.has(".acq_rel") || d.has(".acquire") || d.has(".release");
  const ordering how = take_ordering(d);
  emit_fence(d, has_order ? how.order : simt::memory_order::acq_rel, how.reach);
}

}  // namespace

std::span<const opcode_row> atomic_rows() {
  static constexpr opcode_row rows[] = {
      {"atom", decode_atomic<true>},
      {"red", decode_atomic<false>},
      {"membar", decode_old_fence},
      {"fence", decode_fence},
  };
  return rows;
}

}  // namespace ptx
