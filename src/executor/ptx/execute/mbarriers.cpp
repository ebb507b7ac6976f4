// SPDX-License-Identifier: Apache-2.0
// mbarriers. One is a word, changed by compare-exchanges: its layout is opaque in PTX, too.
#include <ptx/execute/computing.hpp>
#include <ptx/execute/mbarriers.hpp>

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

}  // namespace

u64 change_barrier(const instruction& i, std::byte* at, const barrier_change& by,
                   memory_order order, scope reach) {
  u64 old =
      simt::perform_at(&i, {.kind = op_kind::load, .reach = reach, .bytes = 8, .address = at}).low;
  for (;;) {
    barrier_word word(old);
    if (by.arrivals > word.pending) fail_at(i, too_many_arrivals);
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

namespace {

const instruction* begin_barrier(thread_state& t, const instruction& i) {
  barrier_word word(0);
  word.expected = word.pending = t.get<u32>(i.from[1]);
  if (word.expected == 0 || word.expected > barrier_word::most_arrivals)
    fail_at(i, impossible_arrivals);
  simt::perform_at(&i, {.kind = op_kind::plain_store,
                        .bytes = 8,
                        .address = barrier_address(t, i),
                        .operand = {word.bits(), 0}});
  return &i + 1;
}

enum class arrival : u8 { plain, drops, with_bytes, bytes_alone, bytes_done };

template <arrival What>
const instruction* arrive(thread_state& t, const instruction& i) {
  const u32 number = t.get<u32>(i.from[1]);
  barrier_change by;
  if (What == arrival::plain || What == arrival::drops) by.arrivals = number;
  if (What == arrival::with_bytes) by.arrivals = 1;
  if (What == arrival::with_bytes || What == arrival::bytes_alone) by.bytes = number;
  if (What == arrival::bytes_done) by.bytes = -s64{number};
  by.drops = What == arrival::drops;
  t.write(i.to, change_barrier(i, barrier_address(t, i), by, i.order, i.reach));
  return &i + 1;
}

/// from[1]: a parity, or what an arrival returned. Either has the phase in its lowest bit.
const instruction* test_barrier(thread_state& t, const instruction& i) {
  const simt::word found = simt::perform_at(&i, {.kind = op_kind::load,
                                                 .order = i.order,
                                                 .reach = i.reach,
                                                 .bytes = 8,
                                                 .address = barrier_address(t, i)});
  t.put<bool>(i.to, barrier_word(found.low).phase != (t.read(i.from[1]) & 1));
  return &i + 1;
}

const instruction* count_pending(thread_state& t, const instruction& i) {
  t.put<u32>(i.to, static_cast<u32>(barrier_word(t.read(i.from[0])).pending));
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
  if (!has_number && (with_bytes || done)) d.refuse("expected the number of bytes");
  if (drops && with_bytes) throw unsupported{};
  one.from[1] = has_number ? d.source(at + 1, type_of<u32>()) : d.all().constant(1);
  d.emit(one);
}

void decode_mbarrier(decoder& d) {
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

}  // namespace

std::span<const opcode_row> mbarrier_rows() {
  static constexpr opcode_row rows[] = {{"mbarrier", decode_mbarrier}};
  return rows;
}

}  // namespace ptx
