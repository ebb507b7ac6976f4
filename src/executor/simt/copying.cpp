// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: a copy writes garbage when it begins, and takes place when its thread waits
// for it. In between, every access that could see the difference ends the launch.
#include <simt/executor.hpp>

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

void executor::begin_copy(void* to, const void* from, std::size_t bytes, const void* batch,
                          const void* site) {
  inside_ = true;
  const auto perform_part = [&](const operation& op) {
    const space where = checked_space(op, site);
    begin_operation(op.kind, op.reach, where);
    access(op, where, site);
  };
  perform_part(load_of(from, bytes));
  perform_part(store_to(to, bytes, {random_.next(), random_.next()}));
  copies_.add({.to = to,
               .from = from,
               .bytes = static_cast<std::uint8_t>(bytes),
               .thread = current->number,
               .batch = batch,
               .site = site});
  memory_->step();
  check_progress();
  reschedule();
  inside_ = false;
}

/// Not counted: the operations of a copy are, when it begins.
void executor::wait_for_copies(const void* batch, const void* site) {
  inside_ = true;
  bool any = false;
  while (const auto copy = copies_.take(current->number, batch)) {
    const word value = access(load_of(copy->from, copy->bytes), space::global, site);
    access(store_to(copy->to, copy->bytes, value), space::shared, site);
    any = true;
  }
  if (any) {
    memory_->step();
    check_progress();
    reschedule();
  }
  inside_ = false;
}

void executor::check_for_copy(const operation& op, const void* site) {
  const async_copies::meeting met = copies_.met_by(op);
  if (met.copy == nullptr) return;
  met_copy_ = {*met.copy, met.at_target, op, site};
  fail({.kind = fault_kind::race, .subject = current, .address = op.address});
}

}  // namespace simt
