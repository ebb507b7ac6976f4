// mbarriers, and asynchronous copies.
//
// An mbarrier is one word, changed by compare-exchanges: its layout is opaque in PTX, too. A bulk
// copy takes place when it is issued, as accesses of the thread that issues it, and then completes
// its bytes with a release: other threads that do not wait for it race with it.
#include <ptx/execute/accesses.hpp>
#include <ptx/execute/computing.hpp>

namespace ptx {

namespace {

using simt::memory_order;
using simt::op_kind;
using simt::scope;

/// Phase, arrivals per phase, arrivals that are missing, bytes that are missing.
struct barrier_word {
  static constexpr unsigned arrival_bits = 20;
  static constexpr u64 most_arrivals = (u64{1} << arrival_bits) - 1;

  u64 phase = 0;
  u64 expected = 0;
  u64 pending = 0;
  s64 bytes = 0;

  explicit barrier_word(u64 bits)
      : phase(bits & 1),
        expected(bits >> 1 & most_arrivals),
        pending(bits >> (1 + arrival_bits) & most_arrivals),
        bytes(static_cast<s64>(bits) >> (1 + 2 * arrival_bits)) {}

  u64 bits() const {
    return phase | expected << 1 | pending << (1 + arrival_bits) |
           static_cast<u64>(bytes) << (1 + 2 * arrival_bits);
  }

  void end_phase_if_complete() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

struct barrier_change {
  u64 arrivals = 0;
  s64 bytes = 0;
  bool drops = false;  ///< later phases expect fewer arrivals
};

/// \returns the word before the change.
u64 change_barrier(const instruction& i, std::byte* at, const barrier_change& by,
                   memory_order order, scope reach) {
  u64 old =
      simt::perform_at(&i, {.kind = op_kind::load, .reach = reach, .bytes = 8, .address = at}).low;
  for (;;) {
    barrier_word word(old);
    if (by.arrivals > word.pending) fail_at(i, "more arrivals than the mbarrier expects");
    word.pending -= by.arrivals;
    word.bytes += by.bytes;
    if (by.drops) word.expected -= by.arrivals;
    word.end_phase_if_complete();
    const u64 found = simt::perform_at(&i, {.kind = op_kind::compare_exchange,
                                            .order = order,
                                            .reach = reach,
                                            .bytes = 8,
                                            .address = at,
                                            .operand = {word.bits(), 0},
                                            .expected = {old, 0}})
                          .low;
    if (found == old) return old;
    old = found;
  }
}

/// Generic or shared, by is_signed of the instruction.
std::byte* barrier_address(const machine& m, const instruction& i) {
  return i.is_signed ? address_of<true>(m, i) : address_of<false>(m, i);
}

const instruction* begin_barrier(machine& m, const instruction& i) {
  barrier_word word(0);
  word.expected = word.pending = m.get<u32>(i.from[1]);
  if (word.expected == 0 || word.expected > barrier_word::most_arrivals)
    fail_at(i, "a number of arrivals that no mbarrier can expect");
  simt::perform_at(&i, {.kind = op_kind::plain_store,
                        .bytes = 8,
                        .address = barrier_address(m, i),
                        .operand = {word.bits(), 0}});
  return &i + 1;
}

enum class arrival : u8 { plain, drops, with_bytes, bytes_alone, bytes_done };

template <arrival What>
const instruction* arrive(machine& m, const instruction& i) {
  const u32 number = m.get<u32>(i.from[1]);
  barrier_change by;
  if (What == arrival::plain || What == arrival::drops) by.arrivals = number;
  if (What == arrival::with_bytes) by.arrivals = 1;
  if (What == arrival::with_bytes || What == arrival::bytes_alone) by.bytes = number;
  if (What == arrival::bytes_done) by.bytes = -s64{number};
  by.drops = What == arrival::drops;
  m.write(i.to, change_barrier(i, barrier_address(m, i), by, i.order, i.reach));
  return &i + 1;
}

/// from[1]: a parity, or what an arrival returned. Either has the phase in its lowest bit.
const instruction* test_barrier(machine& m, const instruction& i) {
  const simt::word found = simt::perform_at(&i, {.kind = op_kind::load,
                                                 .order = i.order,
                                                 .reach = i.reach,
                                                 .bytes = 8,
                                                 .address = barrier_address(m, i)});
  m.put<bool>(i.to, barrier_word(found.low).phase != (m.read(i.from[1]) & 1));
  return &i + 1;
}

const instruction* count_pending(machine& m, const instruction& i) {
  m.put<u32>(i.to, static_cast<u32>(barrier_word(m.read(i.from[0])).pending));
  return &i + 1;
}

void decode_arrival(decoder& d, instruction one, address_space space) {
  const bool with_bytes = d.take(".expect_tx"), drops = d.has(".arrive_drop");
  const bool arrives = d.take(".arrive") || d.take(".arrive_drop");
  const bool done = d.take(".complete_tx");
  d.take(".noComplete");
  const std::size_t at = d.is_address(0) ? 0 : 1;
  if (at == 1) one.to = d.destination(0);
  if (at == 0) one.to = d.temporary();
  one.is_signed = joined_space(space, d.address(at, one)) == address_space::shared;
  one.execute = !arrives     ? (done ? arrive<arrival::bytes_done> : arrive<arrival::bytes_alone>)
                : with_bytes ? arrive<arrival::with_bytes>
                : drops      ? arrive<arrival::drops>
                             : arrive<arrival::plain>;
  const bool has_number = d.operands() > at + 1;
  if (!has_number && (with_bytes || done)) d.refuse("a number of bytes is missing");
  if (drops && with_bytes) throw unsupported{};
  one.from[1] = has_number ? d.source(at + 1, type_of<u32>()) : d.all().constant(1);
  d.emit(one);
}

void decode_barrier(decoder& d) {
  const address_space space = take_space(d);
  const bool names_scope = d.has(".cluster") || d.has(".gpu") || d.has(".sys");
  const ordering how = take_ordering(d);
  instruction one;
  one.order = how.order;
  one.reach = names_scope ? how.reach : scope::block;
  d.take(".b64");
  if (d.take(".inval")) return;
  if (d.take(".pending_count")) {
    one.execute = count_pending;
    one.from[0] = d.source(1, type_of<u64>());
    one.to = d.destination(0);
    return d.emit(one);
  }
  const bool tests = d.take_one_of({".test_wait", ".try_wait"}).size() > 0;
  if (!tests && !d.has(".init")) {
    const bool is_relaxed = !how.is_weak && how.order == memory_order::relaxed;
    const bool arrives = d.has(".arrive") || d.has(".arrive_drop");
    one.order = is_relaxed || !arrives ? memory_order::relaxed : memory_order::release;
    return decode_arrival(d, one, space);
  }
  d.take(".init");
  const std::size_t at = tests ? 1 : 0;
  const bool by_parity = d.take(".parity");
  if (tests && how.is_weak) one.order = memory_order::acquire;
  one.is_signed = joined_space(space, d.address(at, one)) == address_space::shared;
  one.execute = tests ? test_barrier : begin_barrier;
  one.from[1] = d.source(at + 1, tests && !by_parity ? type_of<u64>() : type_of<u32>());
  if (tests) one.to = d.destination(0);
  d.emit(one);
}

// --- cp.async: from[0] the target, from[1] the source, from[2] the bytes to read

/// The copies of one group have one name.
const void* name_of_group(u64 group) {
  return reinterpret_cast<const void*>(group + 1);
}

const instruction* begin_copy(machine& m, const instruction& i) {
  std::byte* const to = shared_address(m, m.get<u32>(i.from[0]));
  const std::byte* const from = generic_address(m.read(i.from[1]));
  const u32 read = std::min<u32>(m.get<u32>(i.from[2]), i.bytes);
  for (u32 at = read; at < i.bytes; at += 4)
    simt::perform_at(&i, {.kind = op_kind::plain_store, .bytes = 4, .address = to + at});
  if (read != 0 && read != 4 && read != 8 && read != 16)
    fail_at(i, "a part of a copy that is not supported");
  if (read != 0) simt::begin_copy_at(&i, to, from, read, name_of_group(m.copy_groups));
  return &i + 1;
}

const instruction* commit_group(machine& m, const instruction& i) {
  ++m.copy_groups;
  return &i + 1;
}

void wait_for_groups(machine& m, const instruction& i, u64 end) {
  for (; m.copy_groups_done < end; ++m.copy_groups_done)
    simt::wait_for_copies_at(&i, name_of_group(m.copy_groups_done));
}

/// For all groups but the `from[0]` latest.
const instruction* wait_for_older(machine& m, const instruction& i) {
  const u64 left = m.get<u32>(i.from[0]);
  if (left < m.copy_groups) wait_for_groups(m, i, m.copy_groups - left);
  return &i + 1;
}
const instruction* wait_for_all(machine& m, const instruction& i) {
  ++m.copy_groups;
  wait_for_groups(m, i, m.copy_groups);
  return &i + 1;
}

/// The arrival when all earlier copies are complete: they are waited for here.
template <bool Counts>
const instruction* arrive_after_copies(machine& m, const instruction& i) {
  wait_for_all(m, i);
  if (Counts)
    change_barrier(i, barrier_address(m, i), {.arrivals = 1}, memory_order::release, scope::block);
  return &i + 1;
}

/// The spaces of target and source, which the modifiers name in this order.
std::pair<address_space, address_space> take_both_spaces(decoder& d) {
  const address_space to = take_space(d);
  return {to, take_space(d)};
}

/// [a + offset] in one slot.
operand sum_of_address(decoder& d, std::size_t i) {
  instruction part{.execute = add_offset};
  d.address(i, part);
  part.to = d.temporary();
  d.emit(part);
  return part.to;
}

void decode_small_copy(decoder& d) {
  const bool is_wide = d.take(".cg");
  if (!is_wide && !d.take(".ca")) throw unsupported{};
  const auto [to_space, from_space] = take_both_spaces(d);
  if (to_space != address_space::shared || from_space != address_space::global) throw unsupported{};
  take_cache_hints(d);
  const operand to = sum_of_address(d, 0), from = sum_of_address(d, 1);
  const auto bytes = integer_value(d.syntax(2).text);
  if (!bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16)) d.refuse("a copy of another size");
  const operand read = d.operands() > 3 ? d.source(3, type_of<u32>()) : d.all().constant(*bytes);
  d.emit({.execute = begin_copy, .from = {to, from, read}, .bytes = static_cast<u8>(*bytes)});
}

// --- cp.async.bulk: from[0] the target, from[1] the source, from[2] the bytes, from[3] an mbarrier

std::byte* end_of_copy(const machine& m, operand address, bool is_shared) {
  return is_shared ? shared_address(m, m.get<u32>(address)) : generic_address(m.read(address));
}

/// `elements`: whether the target (1), the source (2) are in shared memory, whether there is an
/// mbarrier (4).
const instruction* copy_bulk(machine& m, const instruction& i) {
  constexpr u32 step = 16;
  std::byte* const to = end_of_copy(m, i.from[0], (i.elements & 1) != 0);
  std::byte* const from = end_of_copy(m, i.from[1], (i.elements & 2) != 0);
  const u32 bytes = m.get<u32>(i.from[2]);
  if (bytes % step != 0) fail_at(i, "a size that is not a multiple of 16 bytes");
  for (u32 at = 0; at < bytes; at += step) {
    const simt::word value =
        simt::perform_at(&i, {.kind = op_kind::plain_load, .bytes = step, .address = from + at});
    simt::perform_at(
        &i, {.kind = op_kind::plain_store, .bytes = step, .address = to + at, .operand = value});
  }
  if ((i.elements & 4) != 0) {
    change_barrier(i, end_of_copy(m, i.from[3], true), {.bytes = -s64{bytes}},
                   memory_order::release, scope::cluster);
  }
  return &i + 1;
}

void decode_bulk_copy(decoder& d) {
  if (d.take(".prefetch")) return d.take_all_beginning_with(".");
  if (d.take(".commit_group")) return;  // complete at once
  if (d.take(".wait_group")) return void(d.take(".read"));
  const auto [to, from] = take_both_spaces(d);
  const bool completes = d.take(".mbarrier::complete_tx::bytes");
  if (!completes && !d.take(".bulk_group")) throw unsupported{};
  take_cache_hints(d);
  instruction one{.execute = copy_bulk};
  one.from[0] = sum_of_address(d, 0);
  one.from[1] = sum_of_address(d, 1);
  if (completes) one.from[3] = sum_of_address(d, 3);
  one.from[2] = d.source(2, type_of<u32>());
  one.elements = static_cast<u8>((to == address_space::shared) |
                                 (from == address_space::shared) << 1 | completes << 2);
  d.emit(one);
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

constexpr opcode_row rows[] = {
    {"mbarrier", decode_barrier},
    {"cp", decode_copy},
};

}  // namespace

std::span<const opcode_row> asynchronous_rows() {
  return rows;
}

}  // namespace ptx
