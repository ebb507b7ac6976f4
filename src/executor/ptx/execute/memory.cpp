// SPDX-License-Identifier: Apache-2.0
// Loads and stores, addresses, and hints about caches.
#include <ptx/execute/accesses.hpp>
#include <ptx/execute/computing.hpp>
#include <ptx/execute/copies.hpp>
#include <simt/arena.hpp>
#include <simt/memory/memory_mode.hpp>

namespace ptx {

address_space take_space(decoder& d) {
  using enum address_space;
  static constexpr std::pair<std::string_view, address_space> names[] = {
      {".global", global},          {".shared", shared},          {".shared::cta", shared},
      {".shared::cluster", shared}, {".const", constant},         {".local", local},
      {".param", parameter},        {".param::entry", parameter}, {".param::func", parameter}};
  const auto found = d.take_first([](std::string_view modifier) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const auto& one) { return one.first == modifier; });
  });
  for (const auto& [name, space] : names)
    if (name == found) return space;
  return generic;
}

ordering take_ordering(decoder& d) {
  using simt::memory_order;
  using simt::scope;
  ordering found;
  d.take(".weak");
  found.is_volatile = d.take(".volatile") || d.take(".mmio");
  const auto order = d.take_one_of({".relaxed", ".acquire", ".release", ".acq_rel", ".sc"});
  const auto reach = d.take_one_of({".cta", ".cluster", ".gpu", ".sys"});
  if (found.is_volatile || !order.empty()) found.is_weak = false;
  found.order = order == ".acquire"   ? memory_order::acquire
                : order == ".release" ? memory_order::release
                : order == ".acq_rel" ? memory_order::acq_rel
                : order == ".sc"      ? memory_order::seq_cst
                                      : memory_order::relaxed;
  found.reach = reach == ".cta"                        ? scope::block
                : reach == ".cluster"                  ? scope::cluster
                : reach == ".sys" || found.is_volatile ? scope::system
                                                       : scope::device;
  return found;
}

void take_cache_hints(decoder& d) {
  d.take_one_of({".ca", ".cg", ".cs", ".cv", ".lu", ".wb", ".wt"});
  d.take_all_beginning_with(".L1::");
  d.take_all_beginning_with(".L2::");
  d.take(".level::eviction_priority");
}

std::vector<const operand_syntax*> registers_of(const operand_syntax& list) {
  std::vector<const operand_syntax*> all;
  if (list.what != operand_syntax::kind::group) return {&list};
  for (const operand_syntax& one : list.parts) all.push_back(&one);
  return all;
}

namespace {

constexpr std::size_t widest_access = 16;

simt::operation operation_of(const thread_state& t, const instruction& i, std::byte* at) {
  const bool is_plain = i.is_volatile && t.launch().options->volatiles == volatile_access::plain;
  simt::op_kind kind = i.kind;
  if (is_plain)
    kind = kind == simt::op_kind::load ? simt::op_kind::plain_load : simt::op_kind::plain_store;
  return {.kind = kind,
          .order = i.order,
          .reach = i.reach,
          .bytes = static_cast<u8>(i.bytes * i.elements),
          .may_be_stale = i.is_read_only,
          .address = at};
}

u64 element_of(const simt::word& all, unsigned at, unsigned bytes) {
  const unsigned bit = 8 * bytes * at;
  const u64 word = (bit >= 64 ? all.high : all.low) >> (bit % 64);
  return bytes == 8 ? word : word & ((u64{1} << (8 * bytes)) - 1);
}

/// One access fills the registers `to` and from[2...].
void spread(thread_state& t, const instruction& i, const simt::word& all) {
  if (i.elements == 1 && i.bytes <= 8 && !i.is_signed) return t.write(i.to, all.low);
  if (i.bytes == 16) {
    t.write(i.to, all.low);
    return t.write(i.to.upper(), all.high);
  }
  for (unsigned at = 0; at < i.elements; ++at) {
    u64 value = element_of(all, at, i.bytes);
    if (i.is_signed) {
      const unsigned unused = 64 - 8u * i.bytes;
      value = static_cast<u64>(static_cast<s64>(value << unused) >> unused);
    }
    t.write(at == 0 ? i.to : i.from[at + 1], value);
  }
}

/// The values of from[1...] in one word.
simt::word gathered(const thread_state& t, const instruction& i) {
  if (i.bytes == 16) return {t.read(i.from[1]), t.read(i.from[1].upper())};
  simt::word all;
  for (unsigned at = 0; at < i.elements; ++at) {
    const unsigned bit = 8u * i.bytes * at;
    const u64 value = t.read(i.from[at + 1]);
    const u64 cut = i.bytes == 8 ? value : value & ((u64{1} << (8 * i.bytes)) - 1);
    (bit >= 64 ? all.high : all.low) |= cut << (bit % 64);
  }
  return all;
}

simt::word load_here(const std::byte* at, const instruction& i) {
  return simt::read_word(at, std::size_t{i.bytes} * i.elements);
}

const instruction* load_private(thread_state& t, const instruction& i) {
  spread(t, i, load_here(private_address(t, i, std::size_t{i.bytes} * i.elements), i));
  return &i + 1;
}
const instruction* store_private(thread_state& t, const instruction& i) {
  const std::size_t bytes = std::size_t{i.bytes} * i.elements;
  simt::write_word(private_address(t, i, bytes), bytes, gathered(t, i));
  return &i + 1;
}

/// Constants do not change while a kernel runs: no operation.
const instruction* load_constant(thread_state& t, const instruction& i) {
  const std::byte* const at = address_of<false>(t, i);
  const std::size_t bytes = std::size_t{i.bytes} * i.elements;
  if (!simt::global_memory().holds(at, bytes)) fail_at(i, outside_of_constants);
  spread(t, i, load_here(at, i));
  return &i + 1;
}

template <bool IsShared>
const instruction* load(thread_state& t, const instruction& i) {
  spread(t, i, simt::perform_at(&i, operation_of(t, i, address_of<IsShared>(t, i))));
  return &i + 1;
}
template <bool IsShared>
const instruction* store(thread_state& t, const instruction& i) {
  simt::operation op = operation_of(t, i, address_of<IsShared>(t, i));
  op.operand = gathered(t, i);
  simt::perform_at(&i, op);
  return &i + 1;
}

const instruction* load_generic(thread_state& t, const instruction& i) {
  const bool is_private = t.is_private(address_of<false>(t, i), std::size_t{i.bytes} * i.elements);
  return is_private ? load_private(t, i) : load<false>(t, i);
}
const instruction* store_generic(thread_state& t, const instruction& i) {
  const bool is_private = t.is_private(address_of<false>(t, i), std::size_t{i.bytes} * i.elements);
  return is_private ? store_private(t, i) : store<false>(t, i);
}

handler load_from(address_space space) {
  switch (space) {
    case address_space::generic:
      return load_generic;
    case address_space::global:
      return load<false>;
    case address_space::shared:
      return load<true>;
    case address_space::constant:
      return load_constant;
    default:
      return load_private;
  }
}
handler store_to(address_space space) {
  switch (space) {
    case address_space::generic:
      return store_generic;
    case address_space::global:
      return store<false>;
    case address_space::shared:
      return store<true>;
    case address_space::constant:
      throw unsupported{};
    default:
      return store_private;
  }
}

/// Modifiers of both, and how many registers of the list there are.
instruction begin_access(decoder& d, bool is_load, address_space& space, std::size_t registers) {
  space = take_space(d);
  const ordering how = take_ordering(d);
  const bool is_read_only = d.take(".nc");
  d.take(".unified");
  take_cache_hints(d);
  const auto vector = d.take_one_of({".v2", ".v4"});
  const std::size_t elements = vector.empty() ? 1 : static_cast<std::size_t>(vector[2] - '0');
  const type of = d.require_type();
  if (of.elements * of.bytes * elements > widest_access || of.what == type_class::predicate)
    throw unsupported{};
  d.expect_count("register", registers, elements);
  instruction one;
  one.order = how.order;
  one.reach = how.reach;
  one.is_volatile = how.is_volatile;
  one.is_read_only = is_read_only;
  one.bytes = static_cast<u8>(of.bytes * of.elements);
  one.elements = static_cast<u8>(elements);
  one.is_signed = of.what == type_class::signed_integer;
  using enum simt::op_kind;
  one.kind = is_load ? (how.is_weak ? plain_load : simt::op_kind::load)
                     : (how.is_weak ? plain_store : simt::op_kind::store);
  return one;
}

void decode_load(decoder& d) {
  const auto registers = registers_of(d.syntax(0));
  address_space space{};
  instruction one = begin_access(d, true, space, registers.size());
  one.execute = load_from(joined_space(space, d.address(1, one)));
  one.to = d.destination(*registers[0], one.bytes);
  for (std::size_t i = 1; i < registers.size(); ++i) one.from[i + 1] = d.destination(*registers[i]);
  if (registers.size() > 1) one.sources = 2;
  d.emit(one);
}

void decode_store(decoder& d) {
  if (d.take(".async")) return decode_async_store(d);
  const auto registers = registers_of(d.syntax(1));
  address_space space{};
  instruction one = begin_access(d, false, space, registers.size());
  one.execute = store_to(joined_space(space, d.address(0, one)));
  const type of{type_class::bits, one.bytes};
  for (std::size_t i = 0; i < registers.size(); ++i) one.from[i + 1] = d.source(*registers[i], of);
  d.emit(one);
}

// --- addresses

const instruction* copy_address(thread_state& t, const instruction& i) {
  t.write(i.to, t.read(i.from[0]));
  return &i + 1;
}
const instruction* generic_from_shared(thread_state& t, const instruction& i) {
  t.put(i.to, reinterpret_cast<u64>(shared_address(t, t.get<u32>(i.from[0]))));
  return &i + 1;
}

const instruction* shared_from_generic(thread_state& t, const instruction& i) {
  u32 offset = 0;
  if (!find_shared(t, t.read(i.from[0]), offset))  // one past the end, and before the beginning
    offset = static_cast<u32>(t.read(i.from[0]) - reinterpret_cast<u64>(t.shared()));
  t.put(i.to, u64{offset});
  return &i + 1;
}

void decode_convert_address(decoder& d) {
  const bool to_space = d.take(".to");
  const address_space space = take_space(d);
  const type of = d.require_type();
  if (of.bytes != 8) throw unsupported{};
  const bool is_shared = space == address_space::shared;
  decode_computation(d,
                     !is_shared ? copy_address
                     : to_space ? shared_from_generic
                                : generic_from_shared,
                     {of});
}

const instruction* is_in_space(thread_state& t, const instruction& i) {
  const u64 address = t.read(i.from[0]);
  u32 offset = 0;
  const auto space = static_cast<address_space>(i.number);
  const bool is_shared = find_shared(t, address, offset);
  const bool is_private = t.is_private(generic_address(address), 1);
  t.put<bool>(i.to, space == address_space::shared     ? is_shared
                    : space == address_space::global   ? !is_shared && !is_private
                    : space == address_space::constant ? false
                                                       : is_private);
  return &i + 1;
}
void decode_is_in_space(decoder& d) {
  const address_space space = take_space(d);
  d.emit({.execute = is_in_space,
          .number = static_cast<std::int64_t>(space),
          .to = d.destination(0),
          .from = {d.source(1, {type_class::unsigned_integer, 8})}});
}

template <bool IsShared>
const instruction* map_to_block(thread_state& t, const instruction& i) {
  const u32 rank = t.get<u32>(i.from[1]);
  if (rank >= simt::cluster_blocks()) fail_at(i, no_such_block);
  if (IsShared)
    t.put(i.to, (t.get<u32>(i.from[0]) & 0xffffff) | (rank + 1) << 24);
  else
    t.put(i.to, reinterpret_cast<u64>(simt::in_block(generic_address(t.read(i.from[0])), rank)));
  return &i + 1;
}
void decode_map(decoder& d) {
  const bool is_shared = take_space(d) == address_space::shared;
  const type of = d.require_type();
  decode_computation(d, is_shared ? map_to_block<true> : map_to_block<false>, {of, type_of<u32>()});
}

/// The rank of the block whose shared memory holds an address.
const instruction* rank_of_address(thread_state& t, const instruction& i) {
  u32 offset = t.get<u32>(i.from[0]);
  if (i.number == 0 && !find_shared(t, t.read(i.from[0]), offset)) fail_at(i, outside_of_cluster);
  const u32 rank = offset >> 24;
  t.put(i.to, rank == 0 ? simt::cluster_rank() : rank - 1);
  return &i + 1;
}
void decode_rank(decoder& d) {
  const bool is_shared = take_space(d) == address_space::shared;
  const type of = d.require_type();
  d.emit({.execute = rank_of_address,
          .number = is_shared,
          .to = d.destination(0),
          .from = {d.source(1, of)}});
}

/// Caches do nothing.
void decode_hint(decoder& d) {
  d.take_all_beginning_with(".");
}
void decode_policy(decoder& d) {
  d.take_all_beginning_with(".");
  d.emit({.execute = copy_address, .to = d.destination(0), .from = {d.all().constant(0)}});
}

}  // namespace

std::span<const opcode_row> memory_rows() {
  static constexpr opcode_row rows[] = {
      {"ld", decode_load},
      {"ldu", decode_load},
      {"st", decode_store},
      {"cvta", decode_convert_address},
      {"isspacep", decode_is_in_space},
      {"mapa", decode_map},
      {"getctarank", decode_rank},
      {"prefetch", decode_hint},
      {"prefetchu", decode_hint},
      {"applypriority", decode_hint},
      {"discard", decode_hint},
      {"createpolicy", decode_policy},
  };
  return rows;
}

}  // namespace ptx
