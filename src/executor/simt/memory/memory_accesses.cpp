// SPDX-License-Identifier: Apache-2.0
#include <simt/memory/memory_accesses.hpp>

#include <utility>

namespace simt {

namespace {

/// A compare-exchange that fails writes nothing.
bool has_written(const operation& op, const effect& done) {
  return op.kind == op_kind::compare_exchange
             ? done.value == op.expected
             : op.kind != op_kind::plain_load && op.kind != op_kind::load;
}

}  // namespace

poll_window::sight poll_window::poll(const void* where, const word& found) {
  const std::uint64_t now = found.low ^ (found.high * 0x9e3779b97f4a7c15u);
  for (std::size_t i = 0; i < size; ++i) {
    if (address[i] != where) continue;
    newest = static_cast<std::uint8_t>(i);
    return std::exchange(value[i], now) == now ? sight::same : sight::changed;
  }
  newest = oldest;
  address[oldest] = where;
  value[oldest] = now;
  oldest = static_cast<std::uint8_t>((oldest + 1) % size);
  return sight::fresh;
}

word memory_accesses::perform(const operation& op, const void* site) {
  if (void* const own = global_.own_address(op.address); own != op.address) {
    operation there = op;
    there.address = own;
    return perform(there, site);
  }
  thread_turns& turns = launch_.turns;
  const inside_operation now(turns);
  thread& self = *current;
  const space where = has_address(op.kind) ? checked_space(op, site) : space::none;
  turns.begin_operation(op.kind, op.reach, where);
  word value;
  if (where != space::none) {
    if (where == space::global) unset.look_at(op, site);
    value = access(op, where, site);
  } else if (op.kind == op_kind::fence) {
    launch_.memory->fence(self, op.order, op.reach);
    if (launch_.races) launch_.races->fence(self, op.order, op.reach);
  }
  launch_.memory->step();
  if (op.kind == op_kind::sleep) {
    turns.sleep(op.operand.low);
  } else {
    launch_.progress.check();
    if (!turns.keeps_turn(op)) turns.pass();
  }
  return value;
}

space memory_accesses::checked_space(const operation& op, const void* site) {
  const space where = global_.holds(op.address, op.bytes) ? space::global : space::shared;
  if (where == space::shared) {
    const block_state* owner = launch_.resident.owner_in_cluster(*current, op.address, op.bytes);
    const bool is_late = owner != nullptr && owner->live == 0;
    if (is_late && current->started_by != nullptr) {
      current->late_at = op.address;
    } else if (owner == nullptr || is_late) {
      launch_.turns.fail({.kind = fault_kind::bad_address,
                          .subject = current,
                          .address = op.address,
                          .bytes = op.bytes,
                          .site = site});
    }
  }
  const std::size_t alignment = op.alignment != 0 ? op.alignment : op.bytes;
  if ((reinterpret_cast<std::uintptr_t>(op.address) & (alignment - 1)) != 0) {
    launch_.turns.fail({.kind = fault_kind::misaligned,
                        .subject = current,
                        .address = op.address,
                        .bytes = alignment,
                        .site = site});
  }
  return where;
}

word memory_accesses::access(const operation& op, space where, const void* site) {
  thread& self = *current;
  // Others' synchronization counts, so that what goes by way of them is ordered.
  const bool is_checked = self.block->is_checked || op.kind > op_kind::plain_store;
  race_detector* const races = is_checked ? launch_.races.get() : nullptr;
  if (!copies.empty() && copies.are_met_by(op, site))
    launch_.turns.fail({.kind = fault_kind::race, .subject = &self, .address = op.address});
  if (races != nullptr) races->fetch(op.address);
  // An async thread has no store buffer of its own.
  const thread& writer = self.started_by != nullptr ? *self.started_by : self;
  const effect done = launch_.memory->access(writer, op, where, site);
  const bool wrote = has_written(op, done);
  if (races != nullptr && !races->access(self, op, wrote, site))
    launch_.turns.fail({.kind = fault_kind::race, .subject = &self});
  if (where == space::shared && races != nullptr) note_shared(self, op, wrote, site);
  if (where == space::global) {
    if (wrote) global_.note_store(op.address, op.bytes);
    if (launch_.how.observer != nullptr) launch_.how.observer->saw(op, wrote, site);
  }
  note_access(self, op, done, where, site);
  return done.value;
}

void memory_accesses::note_shared(const thread& self, const operation& op, bool wrote,
                                  const void* site) {
  const auto* const at = static_cast<const std::byte*>(op.address);
  const bool is_own = at >= self.block->shared && at < self.block->shared_end;
  if (!is_own || self.started_by != nullptr) {
    launch_.races->note_remote(self, *launch_.resident.owner_in_cluster(self, at, op.bytes), op,
                               wrote, site);
  } else if (op.kind > op_kind::plain_store) {
    launch_.races->note_seen(*self.block, at);
  }
}

void memory_accesses::note_access(thread& self, const operation& op, const effect& done,
                                  space where, const void* site) {
  const bool is_store = op.kind == op_kind::plain_store || op.kind == op_kind::store;
  if (is_store || done.changed) {
    const auto place = global_.offset(op.address) / 4 % last_writes_.size();
    const thread& writer = self.started_by != nullptr ? *self.started_by : self;
    last_write& last = last_writes_[place];
    const last_write now{op.address,
                         writer.block->number,
                         writer.number - writer.block->first_thread,
                         site,
                         is_store || op.kind == op_kind::exchange,
                         last.site};
    // A thread may overwrite its own store. It may not overwrite a count that others added to.
    const bool is_others = last.address == now.address &&
                           (last.block != now.block || last.thread != now.thread || !last.is_store);
    last = now;
    if (!is_others || !now.is_store) last.overwritten = nullptr;
  }
  if (reads(op.kind) && !done.changed) self.site = site;
  if (reads(op.kind) && !done.changed &&
      self.recent.poll(op.address, done.value) == poll_window::sight::same) {
    launch_.turns.counts.add_poll(where);
    ++self.polls;
    self.idle_operations = 0;
  } else if (!is_store) {
    self.polls = 0;
  }
}

void* memory_accesses::in_block(void* own, std::uint32_t rank) {
  const block_state& block = *current->block;
  auto* at = static_cast<std::byte*>(own);
  resident_blocks& resident = launch_.resident;
  if (at < block.shared || at >= block.shared_end || rank >= resident.grid.cluster_blocks()) {
    launch_.turns.inside = true;
    launch_.turns.fail(
        {.kind = fault_kind::bad_address, .subject = current, .address = own, .bytes = 1});
  }
  return resident.blocks[resident.cluster_of(block).first_slot + rank].shared + (at - block.shared);
}

void memory_accesses::retire(const block_state& block) {
  if (launch_.races && !launch_.races->end_block(block))
    launch_.turns.fail({.kind = fault_kind::race, .subject = current});
  launch_.memory->retire(block);
  arrival_counters_.erase(arrival_counters_.lower_bound(block.shared),
                          arrival_counters_.lower_bound(block.shared_end));
  if (!copies.empty()) copies.forget(block.first_thread, block.threads);
}

}  // namespace simt
