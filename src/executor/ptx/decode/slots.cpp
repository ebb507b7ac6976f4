// SPDX-License-Identifier: Apache-2.0
// Registers that are never alive together share a slot. A compiler gives each value a register of
// its own, thousands in a large kernel; the frames of all resident threads would not fit into any
// cache.
#include <ptx/decode/decoder.hpp>

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>

namespace ptx {

namespace {

/// Part of the code that is entered at its beginning and left at its end.
struct block {
  std::uint32_t begin = 0;
  std::uint32_t past = 0;
  std::vector<std::uint32_t> before{};  ///< blocks that lead here
};

/// An instruction that reads or writes a register.
struct mention {
  std::uint32_t slot = 0;
  std::uint32_t at = 0;
  bool writes = false;
};

/// The instructions from the first to the last at which a register has a value that is needed.
struct lifetime {
  std::uint32_t first = ~0u;
  std::uint32_t last = 0;
  void include(std::uint32_t at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

template <class Use>
void for_each_target(const function& f, std::uint32_t at, Use use) {
  const instruction& i = f.code[at];
  const auto target = [&](std::int32_t jump) {
    use(static_cast<std::uint32_t>(static_cast<std::int32_t>(at) + jump));
  };
  if (i.execute == jump_by_table)
    for (const std::int32_t jump : f.branch_tables[static_cast<std::size_t>(i.number)])
      target(jump);
  if (i.execute == jump_if || i.execute == jump_unless || i.execute == jump_always) target(i.jump);
}

bool goes_on(const instruction& i) {
  return i.execute != jump_always && i.execute != jump_by_table &&
         i.execute != return_from_function;
}

bool is_jump(const instruction& i) {
  return !goes_on(i) || i.execute == jump_if || i.execute == jump_unless;
}

/// \param block_of filled: by instruction.
std::vector<block> blocks_of(const function& f, std::vector<std::uint32_t>& block_of) {
  const auto size = static_cast<std::uint32_t>(f.code.size());
  std::vector<bool> begins(size + 1, false);
  begins[0] = true;
  for (std::uint32_t at = 0; at < size; ++at) {
    for_each_target(f, at, [&](std::uint32_t to) { begins[to] = true; });
    if (is_jump(f.code[at])) begins[at + 1] = true;
  }
  std::vector<block> blocks;
  for (std::uint32_t at = 0; at < size; ++at) {
    if (begins[at]) blocks.push_back({at, at, {}});
    block_of.push_back(static_cast<std::uint32_t>(blocks.size() - 1));
    blocks.back().past = at + 1;
  }
  for (std::uint32_t from = 0; from < blocks.size(); ++from) {
    const std::uint32_t last = blocks[from].past - 1;
    for_each_target(f, last,
                    [&](std::uint32_t to) { blocks[block_of[to]].before.push_back(from); });
    if (goes_on(f.code[last]) && last + 1 < size) blocks[from + 1].before.push_back(from);
  }
  return blocks;
}

/// By slot, then as they stand; of one instruction the reads first.
std::vector<mention> mentions_in(const function& f) {
  std::vector<mention> all;
  for (std::uint32_t at = 0; at < f.code.size(); ++at) {
    const instruction& i = f.code[at];
    const auto add = [&](operand what, bool writes) {
      if (what.is_register()) all.push_back({what.slot(), at, writes});
    };
    for (std::size_t n = 0; n < i.from.size(); ++n) add(i.from[n], n >= i.sources);
    add(i.to, true);
    add(i.also_to, true);
    if (!i.has_matrix_site) continue;
    const matrix_site& site = f.matrices[static_cast<std::size_t>(i.number)];
    for (std::size_t n = 0; n < site.registers.size(); ++n)
      add(site.registers[n], n < site.destinations);
  }
  std::sort(all.begin(), all.end(), [](const mention& a, const mention& b) {
    if (a.slot != b.slot) return a.slot < b.slot;
    return a.at != b.at ? a.at < b.at : a.writes < b.writes;
  });
  return all;
}

class lifetimes {
 public:
  explicit lifetimes(const function& f)
      : blocks_(blocks_of(f, block_of_)),
        written_in_(blocks_.size(), none),
        needed_in_(blocks_.size(), none) {}

  /// \param mentions of one register, in order.
  lifetime of(std::span<const mention> mentions) {
    const std::uint32_t slot = mentions.front().slot;
    lifetime found;
    for (const mention& each : mentions) {
      found.include(each.at);
      const std::uint32_t here = block_of_[each.at];
      if (each.writes)
        written_in_[here] = slot;
      else if (written_in_[here] != slot)
        need_at_begin_of(here, slot);
    }
    while (!open_.empty()) {
      const block& here = blocks_[open_.back()];
      open_.pop_back();
      found.include(here.begin);
      for (const std::uint32_t from : here.before) {
        found.include(blocks_[from].past - 1);
        if (written_in_[from] != slot) need_at_begin_of(from, slot);
      }
    }
    return found;
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  void need_at_begin_of(std::uint32_t which, std::uint32_t slot) {
    if (std::exchange(needed_in_[which], slot) != slot) open_.push_back(which);
  }

  std::vector<std::uint32_t> block_of_;
  std::vector<block> blocks_;
  std::vector<std::uint32_t> written_in_;  ///< by block: the last register that is written there
  std::vector<std::uint32_t> needed_in_;   ///< by block: the last that is needed at its begin
  std::vector<std::uint32_t> open_;        ///< blocks
};

/// Slots of one width, each free again after the last instruction that needs it.
class slot_pool {
 public:
  explicit slot_pool(std::uint32_t width) : width_(width) {}

  /// In the order of first instructions. \param slots of the frame so far.
  std::uint32_t take(const lifetime& whose, std::uint32_t& slots) {
    for (; !taken_.empty() && taken_.top().first < whose.first; taken_.pop())
      free_.push_back(taken_.top().second);
    if (free_.empty()) {
      free_.push_back(slots);
      slots += width_;
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    taken_.emplace(whose.last, slot);
    return slot;
  }

 private:
  using until_and_slot = std::pair<std::uint32_t, std::uint32_t>;
  std::uint32_t width_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<until_and_slot, std::vector<until_and_slot>, std::greater<>> taken_;
};

/// Whether a register takes two slots: those of 128 bits, and all that the decoder has added.
std::vector<bool> wide_slots(const function& f, std::uint32_t first_added) {
  std::vector<bool> wide(f.slots, false);
  std::fill(wide.begin() + first_added, wide.end(), true);
  for (const scope_syntax& scope : f.syntax->scopes) {
    for (const auto& [name, range] : scope.registers) {
      const auto first = wide.begin() + range.first_slot;
      if (range.of.bytes == 16) std::fill_n(first, 2 * std::max(range.count, 1u), true);
    }
  }
  return wide;
}

}  // namespace

// An operand that an instruction does not have looks like slot 0; so that one is not shared. Nor
// are the pointers to results and parameters, which the caller writes.
void share_slots(function& f) {
  const auto pointers =
      static_cast<std::uint32_t>(f.syntax->results.size() + f.syntax->parameters.size());
  const std::uint32_t past_pointers = f.first_pointer + pointers;
  const std::vector<bool> wide = wide_slots(f, past_pointers);
  const std::vector<mention> mentions = mentions_in(f);

  std::vector<std::uint32_t> place(std::max(f.slots, 1u), 0);
  std::uint32_t slots = 2;  // slot 0 may be the first half of a register
  for (std::uint32_t i = 0; i < pointers; ++i) place[f.first_pointer + i] = slots + i;
  f.first_pointer = slots;
  slots += pointers;

  std::vector<std::pair<lifetime, std::uint32_t>> all;  // with the slot so far
  lifetimes of_registers(f);
  for (auto at = mentions.begin(); at != mentions.end();) {
    const auto past = std::find_if(at, mentions.end(),
                                   [&](const mention& each) { return each.slot != at->slot; });
    const bool is_pointer = at->slot >= past_pointers - pointers && at->slot < past_pointers;
    if (at->slot != 0 && !is_pointer) all.emplace_back(of_registers.of({at, past}), at->slot);
    at = past;
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
  slot_pool narrow(1), broad(2);
  for (const auto& [life, slot] : all)
    place[slot] = (wide[slot] ? broad : narrow).take(life, slots);
  f.slots = slots;

  const auto move = [&](operand& what) {
    if (what.is_register()) what = operand::of_register(place[what.slot()]);
  };
  for (instruction& i : f.code) {
    move(i.to);
    move(i.also_to);
    for (operand& each : i.from) move(each);
  }
  for (matrix_site& each : f.matrices)
    for (operand& one : each.registers) move(one);
}

}  // namespace ptx
