// SPDX-License-Identifier: Apache-2.0
// st.async and red.async: to shared memory of the cluster. Each is an async thread: it changes the
// memory, and completes its bytes at an mbarrier.
#include <ptx/execute/computing.hpp>
#include <ptx/execute/copies.hpp>
#include <ptx/execute/mbarriers.hpp>
#include <simt/async_threads.hpp>

namespace ptx {

namespace {

using simt::op_kind;

enum class counting : u8 { none, increment, decrement };

struct async_store {
  const instruction* at;
  std::byte* barrier;
  simt::operation op;
  counting how;

  void operator()() {
    if (how != counting::none) {
      simt::operation look = op;
      look.kind = op_kind::load;
      op.expected = simt::perform_at(at, look);
      const u64 last = op.operand.low;
      for (;;) {
        const u64 old = op.expected.low;
        op.operand.low = how == counting::increment ? (old >= last ? 0 : old + 1)
                                                    : (old == 0 || old > last ? last : old - 1);
        const simt::word found = simt::perform_at(at, op);
        if (found == op.expected) break;
        op.expected = found;
      }
    } else {
      simt::perform_at(at, op);
    }
    change_barrier(*at, barrier, {.bytes = -s64{op.bytes}}, simt::memory_order::release,
                   simt::scope::cluster);
  }
};

/// from[0]: the mbarrier of the instruction after this one.
const instruction* take_barrier(thread_state& t, const instruction& i) {
  t.async_barrier = shared_address(t, t.get<u32>(i.from[0]));
  return &i + 1;
}

/// from[0] the target, from[1...] the values. `number` is a counting.
const instruction* begin_async_store(thread_state& t, const instruction& i) {
  simt::operation op{.kind = i.kind,
                     .reach = simt::scope::cluster,
                     .bytes = static_cast<u8>(i.bytes * i.elements),
                     .is_signed = i.is_signed,
                     .address = shared_address(t, t.get<u32>(i.from[0]))};
  for (unsigned k = 0; k < i.elements; ++k) {
    const unsigned bit = 8u * i.bytes * k;
    const u64 value = t.read(i.from[k + 1]);
    (bit >= 64 ? op.operand.high : op.operand.low) |=
        (i.bytes == 8 ? value : value & ((u64{1} << (8 * i.bytes)) - 1)) << (bit % 64);
  }
  simt::start_async_at(
      &i, {.body = async_store{&i, t.async_barrier, op, static_cast<counting>(i.number)},
           .wait = &at_barrier,
           .home = t.async_barrier});
  return &i + 1;
}

/// What follows the opcode and .async in both.
instruction begin_decoding(decoder& d, bool is_store) {
  d.take_one_of({".weak", ".relaxed"});
  d.take(".cluster");
  if (!d.take(".shared::cluster") && (d.has(".global") || d.has(".mmio"))) throw unsupported{};
  if (!d.take(".mbarrier::complete_tx::bytes")) throw unsupported{};
  d.emit({.execute = take_barrier, .from = {sum_of_address(d, 2)}});
  instruction one{.execute = begin_async_store};
  one.kind = is_store ? op_kind::plain_store : op_kind::compare_exchange;
  one.from[0] = sum_of_address(d, 0);
  return one;
}

}  // namespace

void decode_async_store(decoder& d) {
  instruction one = begin_decoding(d, true);
  d.take_one_of({".v2", ".v4"});
  const type of = d.require_type();
  const auto registers = registers_of(d.syntax(1));
  if (of.bytes < 4 || of.bytes * registers.size() > 16) throw unsupported{};
  one.bytes = of.bytes;
  one.elements = static_cast<u8>(registers.size());
  for (std::size_t i = 0; i < registers.size(); ++i) one.from[i + 1] = d.source(*registers[i], of);
  d.emit(one);
}

void decode_async_reduction(decoder& d) {
  static constexpr std::pair<std::string_view, op_kind> kinds[] = {
      {".add", op_kind::fetch_add}, {".min", op_kind::fetch_min}, {".max", op_kind::fetch_max},
      {".and", op_kind::fetch_and}, {".or", op_kind::fetch_or},   {".xor", op_kind::fetch_xor}};
  instruction one = begin_decoding(d, false);
  for (const auto& [name, kind] : kinds)
    if (d.take(name)) one.kind = kind;
  if (d.take(".inc")) one.number = static_cast<s64>(counting::increment);
  if (d.take(".dec")) one.number = static_cast<s64>(counting::decrement);
  const type of = d.require_type();
  if (of.what == type_class::real || (one.kind == op_kind::compare_exchange && one.number == 0))
    throw unsupported{};
  one.bytes = of.bytes;
  one.is_signed = of.what == type_class::signed_integer;
  one.from[1] = d.source(1, of);
  d.emit(one);
}

}  // namespace ptx
