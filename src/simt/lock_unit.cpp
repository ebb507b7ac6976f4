// Fermi's lock unit (fermi.hpp), and the two deadlocks that it is known for (ICS'15, section 4.4).
#include <simt/fermi.hpp>
#include <simt/machine.hpp>

namespace simt {

std::uint32_t machine::lock_bit_of(const thread& by, const void* at) const {
  const auto slot = static_cast<std::uint32_t>(by.block - blocks_.data());
  const auto word = static_cast<std::size_t>(static_cast<const std::byte*>(at) - by.block->shared) /
                    sizeof(std::uint32_t);
  return slot * fermi::lock_bits + static_cast<std::uint32_t>(word % fermi::lock_bits);
}

void machine::free_lock_bits(const block_state& block) {
  const auto slot = static_cast<std::uint32_t>(&block - blocks_.data());
  std::erase_if(held_locks_,
                [&](const auto& held) { return held.first / fermi::lock_bits == slot; });
}

word machine::access_locking(op_kind kind, void* at, const word& value, bool& acquired,
                             const void* site) {
  inside_ = true;
  thread& self = *current;
  const bool locks = kind == op_kind::load_locking;
  // Memory and lock bit are accessed as one, so nothing of this waits in a buffer.
  const operation op{.kind = locks ? op_kind::fetch_or : op_kind::exchange,
                     .order = locks ? memory_order::acquire : memory_order::release,
                     .reach = scope::block,
                     .bytes = 4,
                     .address = at,
                     .operand = value};
  if (checked_space(op) != space::shared)
    fail({.kind = trouble::bad_address, .subject = &self, .address = at, .bytes = 4});
  begin_operation(kind, scope::block, space::shared);
  effect done = memory_->access(self, op, space::shared);
  if (races_ && !races_->access(self, op, !locks, site))
    fail({.kind = trouble::race, .subject = &self});
  const std::uint32_t bit = lock_bit_of(self, at);
  const word found = done.value;
  acquired = locks && held_locks_.try_emplace(bit, lock_holder{self.number, at}).second;
  self.lock_wanted = locks && !acquired ? at : nullptr;
  if (!locks) held_locks_.erase(bit);
  done.value.high = acquired;  // a load that did not get the bit is a poll of it
  note_access(self, op, done, space::shared);
  memory_->step();
  check_progress();
  reschedule();
  inside_ = false;
  return found;
}

/// What a launch that makes no progress dies of, where it is a lock bit.
std::optional<machine::failure> machine::explain_lock_bits() const {
  for (const thread& t : threads_) {
    if (t.state != thread_state::runnable || t.lock_wanted == nullptr) continue;
    const auto held = held_locks_.find(lock_bit_of(t, t.lock_wanted));
    if (held == held_locks_.end()) continue;
    const thread& holder = threads_[held->second.thread];
    failure found{.kind = trouble::alias_deadlock,
                  .subject = &t,
                  .other = &holder,
                  .address = held->second.address};
    if (held->second.address != t.lock_wanted) return found;
    if (per_basic_block_ && holder.warp == t.warp && holder.state == thread_state::runnable &&
        holder.lock_wanted == nullptr) {
      found.kind = trouble::simd_deadlock;
      return found;
    }
  }
  return {};
}

}  // namespace simt
