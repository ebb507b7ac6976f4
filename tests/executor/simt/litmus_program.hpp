// The programs of litmus tests: a few accesses per thread, and the outcomes that sequential
// consistency allows.
#pragma once

#include "harness.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace simt_test::weak_litmus_test {

using enum memory_order;

inline constexpr unsigned locations = 3;

/// One access or fence of a program.
struct action {
  enum kind { plain_read, read, plain_write, write, swap, add, fence, barrier } what;
  unsigned where = 0;
  std::uint32_t value = 0;  ///< written, swapped in, or added
  memory_order order = relaxed;
  scope reach = scope::device;
};

inline constexpr unsigned x = 0, y = 1, z = 2;

inline action rp(unsigned where) {
  return {action::plain_read, where};
}
inline action wp(unsigned where, std::uint32_t value) {
  return {action::plain_write, where, value};
}
inline action r(unsigned where, memory_order order = relaxed, scope reach = scope::device) {
  return {action::read, where, 0, order, reach};
}
inline action w(unsigned where, std::uint32_t value, memory_order order = relaxed,
                scope reach = scope::device) {
  return {action::write, where, value, order, reach};
}
inline action swap(unsigned where, std::uint32_t value, memory_order order = relaxed) {
  return {action::swap, where, value, order};
}
inline action add(unsigned where, scope reach) {
  return {action::add, where, 1, relaxed, reach};
}
inline action f(memory_order order, scope reach = scope::device) {
  return {action::fence, 0, 0, order, reach};
}

/// The barrier of the block. All threads of a block have one, or none has.
inline action bar() {
  return {action::barrier};
}

inline bool reads(action::kind what) {
  return what < action::fence && what != action::plain_write && what != action::write;
}

using program = std::vector<std::vector<action>>;

/// The values of the reads, thread by thread, and then the final memory.
using outcome = std::vector<std::uint32_t>;

inline std::string to_string(const std::set<outcome>& outcomes) {
  std::ostringstream text;
  for (const outcome& one : outcomes) {
    for (const std::uint32_t value : one) text << value << ' ';
    text << "; ";
  }
  return text.str();
}

/// Whether thread `t` may take its next step. It passes a barrier only when all have come to it.
inline bool may_go_on(const program& all, const std::vector<std::size_t>& next, std::size_t t) {
  const auto is_barrier = [](const action& a) { return a.what == action::barrier; };
  if (next[t] == 0 || !is_barrier(all[t][next[t] - 1])) return true;
  for (std::size_t other = 0; other < all.size(); ++other) {
    const auto at = std::find_if(all[other].begin(), all[other].end(), is_barrier);
    if (at != all[other].end() && next[other] <= static_cast<std::size_t>(at - all[other].begin()))
      return false;
  }
  return true;
}

/// Adds the outcomes of the rest of the program from here, in every order.
inline void interleave(const program& all, std::vector<std::size_t> next,
                       std::vector<outcome> found, outcome memory, std::set<outcome>& outcomes) {
  bool ended = true;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (next[t] == all[t].size()) continue;
    ended = false;
    if (!may_go_on(all, next, t)) continue;
    auto after = next;
    auto seen = found;
    auto now = memory;
    const action& a = all[t][after[t]++];
    if (reads(a.what)) seen[t].push_back(now[a.where]);
    if (a.what == action::add) {
      now[a.where] += a.value;
    } else if (a.what >= action::plain_write && a.what < action::fence) {
      now[a.where] = a.value;
    }
    interleave(all, after, seen, now, outcomes);
  }
  if (!ended) return;
  outcome whole;
  for (const outcome& part : found) whole.insert(whole.end(), part.begin(), part.end());
  whole.insert(whole.end(), memory.begin(), memory.end());
  outcomes.insert(whole);
}

inline std::set<outcome> sequentially_consistent(const program& all) {
  std::set<outcome> outcomes;
  interleave(all, std::vector<std::size_t>(all.size()), std::vector<outcome>(all.size()),
             outcome(locations), outcomes);
  return outcomes;
}

}  // namespace simt_test::weak_litmus_test
