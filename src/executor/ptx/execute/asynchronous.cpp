// SPDX-License-Identifier: Apache-2.0
// cp.async: copies of a few bytes that their thread waits for. Those of many bytes are in
// bulk_copies.cpp.
#include <ptx/execute/computing.hpp>
#include <ptx/execute/copies.hpp>
#include <ptx/execute/mbarriers.hpp>

#include <fmt/format.h>

namespace ptx {

namespace {

using simt::memory_order;
using simt::op_kind;
using simt::scope;

// from[0] the target, from[1] the source, from[2] the bytes to read

const instruction* begin_copy(thread_state& t, const instruction& i) {
  std::byte* const to = shared_address(t, t.get<u32>(i.from[0]));
  const std::byte* const from = generic_address(t.read(i.from[1]));
  const u32 read = std::min<u32>(t.get<u32>(i.from[2]), i.bytes);
  for (u32 at = read; at < i.bytes; at += 4)
    simt::perform_at(&i, {.kind = op_kind::plain_store,
                          .bytes = 4,
                          .address = generic_address(reinterpret_cast<u64>(to) + at)});
  if (read != 0 && read != 4 && read != 8 && read != 16) fail_at(i, unsupported_part);
  if (read != 0) simt::begin_copy_at(&i, to, from, read, name_of_group(t.copy_groups));
  return &i + 1;
}

const instruction* commit_group(thread_state& t, const instruction& i) {
  ++t.copy_groups;
  return &i + 1;
}

void wait_for_groups(thread_state& t, const instruction& i, u64 end) {
  for (; t.copy_groups_done < end; ++t.copy_groups_done)
    simt::wait_for_copies_at(&i, name_of_group(t.copy_groups_done));
}

/// For all groups but the `from[0]` latest.
const instruction* wait_for_older(thread_state& t, const instruction& i) {
  const u64 left = t.get<u32>(i.from[0]);
  if (left < t.copy_groups) wait_for_groups(t, i, t.copy_groups - left);
  return &i + 1;
}
const instruction* wait_for_all(thread_state& t, const instruction& i) {
  ++t.copy_groups;
  wait_for_groups(t, i, t.copy_groups);
  return &i + 1;
}

/// The arrival when all earlier copies are complete: they are waited for here.
template <bool Counts>
const instruction* arrive_after_copies(thread_state& t, const instruction& i) {
  wait_for_all(t, i);
  if (Counts)
    change_barrier(i, barrier_address(t, i), {.arrivals = 1}, memory_order::release, scope::block);
  return &i + 1;
}

void decode_small_copy(decoder& d) {
  const bool is_wide = d.take(".cg");
  if (!is_wide && !d.take(".ca")) throw unsupported{};
  const auto [to_space, from_space] = take_both_spaces(d);
  if (to_space != address_space::shared || from_space != address_space::global) throw unsupported{};
  take_cache_hints(d);
  const operand to = sum_of_address(d, 0), from = sum_of_address(d, 1);
  const auto bytes = integer_value(d.syntax(2).text);
  if (!bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16))
    d.refuse(fmt::format("cannot copy {} bytes: 4, 8 and 16 are allowed", d.syntax(2).text));
  const operand read = d.operands() > 3 ? d.source(3, type_of<u32>()) : d.all().constant(*bytes);
  d.emit({.execute = begin_copy, .from = {to, from, read}, .bytes = static_cast<u8>(*bytes)});
}

void decode_copy(decoder& d) {
  if (!d.take(".async")) throw unsupported{};
  if (d.take(".bulk")) return decode_bulk_copy(d);
  if (d.take(".commit_group")) return d.emit({.execute = commit_group});
  if (d.take(".wait_all")) return d.emit({.execute = wait_for_all});
  if (d.take(".wait_group"))
    return d.emit({.execute = wait_for_older, .from = {d.source(0, type_of<u32>())}});
  if (d.take(".mbarrier")) {
    if (!d.take(".arrive")) throw unsupported{};
    const bool counts = d.take(".noinc");
    instruction one{.execute = counts ? arrive_after_copies<true> : arrive_after_copies<false>};
    one.is_signed = joined_space(take_space(d), d.address(0, one)) == address_space::shared;
    d.take(".b64");
    return d.emit(one);
  }
  decode_small_copy(d);
}

}  // namespace

std::span<const opcode_row> asynchronous_rows() {
  static constexpr opcode_row rows[] = {{"cp", decode_copy}};
  return rows;
}

}  // namespace ptx
