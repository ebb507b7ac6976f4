// SPDX-License-Identifier: Apache-2.0
#include <simt/objects/copies.hpp>

namespace simt {

namespace {

operation load_of(const void* from, std::size_t bytes) {
  return {.kind = op_kind::plain_load,
          .bytes = static_cast<std::uint8_t>(bytes),
          .address = const_cast<void*>(from)};
}

operation store_to(const void* to, std::size_t bytes, const word& value) {
  return {.kind = op_kind::plain_store,
          .bytes = static_cast<std::uint8_t>(bytes),
          .address = const_cast<void*>(to),
          .operand = value};
}

}  // namespace

void copies::begin(void* to, const void* from, std::size_t bytes, const void* batch,
                   const void* site) {
  const inside_operation now(launch_.turns);
  const auto perform_part = [&](const operation& op) {
    const space where = accesses_.checked_space(op, site);
    launch_.turns.begin_operation(op.kind, op.reach, where);
    accesses_.access(op, where, site);
  };
  perform_part(load_of(from, bytes));
  perform_part(store_to(to, bytes, {launch_.random.next(), launch_.random.next()}));
  accesses_.copies.add({.to = to,
                        .from = from,
                        .bytes = static_cast<std::uint8_t>(bytes),
                        .thread = current->number,
                        .batch = batch,
                        .site = site});
  launch_.memory->step();
  launch_.progress.pass();
}

/// Not counted: the operations of a copy are, when it begins.
void copies::wait(const void* batch, const void* site) {
  const inside_operation now(launch_.turns);
  bool any = false;
  while (const auto copy = accesses_.copies.take(current->number, batch)) {
    const word value = accesses_.access(load_of(copy->from, copy->bytes), space::global, site);
    accesses_.access(store_to(copy->to, copy->bytes, value), space::shared, site);
    any = true;
  }
  if (!any) return;
  launch_.memory->step();
  launch_.progress.pass();
}

}  // namespace simt
