// What happens before what, in a way that is slow and plainly right: each event has the set of all
// events that happen before it, and an access is compared with all others. For race_model_test.cpp.
#pragma once

#include <simt/races/race_detector.hpp>

#include <algorithm>
#include <bitset>
#include <map>
#include <utility>
#include <vector>

namespace simt_test::race_model_test {

using simt::memory_order;
using simt::op_kind;
using simt::scope;

constexpr std::size_t most_events = 384;
using event_set = std::bitset<most_events>;
using index = std::uint32_t;
using indices = std::vector<index>;

constexpr index none = ~0u;
constexpr index global_words = 4;

inline scope narrowest(const simt::agent_id& a, const simt::agent_id& b) {
  if (a.block == b.block) return scope::block;
  if (a.cluster == b.cluster) return scope::cluster;
  return a.gpu == b.gpu ? scope::device : scope::system;
}

/// An access, a fence, or (`sleep`) anything else that others may come after.
struct event {
  index agent = 0;
  op_kind kind = op_kind::sleep;
  memory_order order = memory_order::relaxed;
  scope reach = scope::system;
  index begin = 0, end = 0;  ///< bytes
  bool writes = false;
  bool is_proxy_fence = false;
  const void* site = nullptr;
  event_set before{};          ///< and itself
  event_set observed{};        ///< atomic writes
  bool is_superseded = false;  ///< by a later access of a thread in the slot

  bool is_atomic() const { return simt::has_address(kind) && kind > op_kind::plain_store; }
  bool touches(index from, index to) const { return begin < to && from < end; }
  bool is_fence(bool (*does)(memory_order)) const { return kind == op_kind::fence && does(order); }
};

constexpr bool is_sequential(memory_order order) {
  return order == memory_order::seq_cst;
}

/// What was read and not acquired, and the scope that it takes.
using readings_of_thread = std::vector<std::pair<event_set, scope>>;

/// A thread. Who comes later to its slot is another one.
struct agent {
  simt::agent_id who;
  bool is_async = false;
  index start = 0;    ///< its first event
  index next = none;  ///< the one that has its slot after it
  event_set known{};
  event_set leading{};  ///< fences from which strong accesses and barriers lead to here
  readings_of_thread readings{};
};

class model {
 public:
  std::vector<event> events;
  std::vector<agent> agents;

  /// What happens before an access, and the releases that it has not acquired.
  event_set before(const event& now, readings_of_thread& not_acquired) const {
    event_set all = agents[now.agent].known;
    if (!now.is_atomic() || !simt::reads(now.kind)) return all;
    for (const auto& [source, needed] : sources_of(now)) {
      if (acquires(now.order) && needed <= now.reach)
        all |= events[source].before;
      else
        not_acquired.emplace_back(events[source].before, needed);
    }
    return all;
  }

  /// Earlier accesses that an access would race with.
  /// \param uncertain gets those of which the detector does not know enough: a slot has one clock
  /// for all its threads, and of a thread's atomic accesses the last one counts.
  indices races_of(const event& now, indices& uncertain) const {
    readings_of_thread not_acquired;
    const event_set known = before(now, not_acquired);
    // Whoever knows a thread is taken to know those before it in its slot.
    const auto seems_known = [&](index i) {
      index next = agents[events[i].agent].next;
      for (; next != none && !known.test(agents[next].start); next = agents[next].next) {
      }
      return next != none && !known.test(i);
    };
    event_set observed, observed_last, through_proxy_fence;
    for (index i = 0; i < events.size(); ++i) {
      if (known.test(i) || seems_known(i)) observed |= events[i].observed;
      if (known.test(i) && !events[i].is_superseded) observed_last |= events[i].observed;
      if (known.test(i) && events[i].is_proxy_fence) through_proxy_fence |= events[i].before;
    }
    const bool is_by_copy = agents[now.agent].is_async && now.kind == op_kind::plain_load &&
                            now.begin >= 4 * global_words;
    // A thread's accesses to one location keep their order.
    const auto is_in = [&](const event_set& all, index earlier) {
      for (index i = earlier; i < events.size() && events[earlier].is_atomic(); ++i)
        if (all.test(i) && events[i].begin <= std::max(now.begin, events[earlier].begin) &&
            events[i].end >= std::min(now.end, events[earlier].end) &&
            events[i].agent == events[earlier].agent)
          return true;
      return false;
    };
    indices found;
    bool is_vague = false;  // a write seems to happen before, and has replaced others that do not
    for (index i = 0; i < events.size(); ++i) {
      const event& earlier = events[i];
      const agent& by = agents[earlier.agent];
      if (!earlier.touches(now.begin, now.end)) continue;
      is_vague |= earlier.writes && (seems_known(i) || (is_by_copy && by.is_async));
      const bool may_race = earlier.agent != now.agent && (earlier.writes || now.writes);
      if (!may_race || are_strong(earlier, now) || is_in(observed_last, i)) continue;
      if ((is_by_copy && !by.is_async ? through_proxy_fence : known).test(i)) continue;
      const bool is_dropped =
          seems_known(i) || (is_by_copy && by.next != none) ||
          (earlier.is_superseded && (by.next != none || (earlier.is_atomic() && now.is_atomic())));
      (is_dropped || is_in(observed, i) ? uncertain : found).push_back(i);
    }
    if (is_vague) uncertain.insert(uncertain.end(), found.begin(), found.end());
    return is_vague ? indices{} : found;
  }

  void add_access(event now) {
    agent& self = agents[now.agent];
    now.before = before(now, self.readings);
    const index word = now.begin / 4;
    const index last = written(word, static_cast<index>(events.size()));
    if (now.is_atomic() && simt::reads(now.kind)) {
      self.leading |= leading_[word];
      if (last < events.size() && are_strong(events[last], now)) {
        if (simt::is_rmw(events[last].kind)) now.observed = events[last].observed;
        now.observed.set(last);
      }
    }
    if (now.is_atomic() && now.writes) leading_[word] |= self.leading;
    for (event& each : events)
      each.is_superseded |=
          agents[each.agent].who.thread == self.who.thread && each.touches(now.begin, now.end) &&
          each.writes == now.writes && each.is_atomic() == now.is_atomic() &&
          (now.writes || each.agent != now.agent || each.observed != now.observed ||
           each.reach != now.reach || !have_one_extent(each, now));
    add(now);
  }

  void add_fence(event now) {
    agent& self = agents[now.agent];
    const scope all = self.who.has_peers ? scope::system : scope::device;
    now.before = self.known;
    if (acquires(now.order)) {
      for (const auto& [released, needed] : self.readings)
        if (needed <= now.reach) now.before |= released;
    }
    for (index i = 0; is_sequential(now.order) && i < events.size(); ++i) {
      const event& other = events[i];
      const scope needed = narrowest(agents[other.agent].who, self.who);
      const bool are_narrow = now.reach < all && other.reach < all;
      if (other.is_fence(is_sequential) && (are_narrow ? std::min(now.reach, other.reach) >= needed
                                                       : now.reach >= all && self.leading.test(i)))
        now.before |= other.before;
    }
    add(now);
    if (is_sequential(now.order) && now.reach >= all) self.leading.set(events.size() - 1);
  }

  /// \returns what else others may come after: all that the thread has done so far.
  index add_point(index by, bool is_proxy_fence = false) {
    add({.agent = by, .is_proxy_fence = is_proxy_fence, .before = agents[by].known});
    return static_cast<index>(events.size() - 1);
  }

  /// A barrier. With relaxed arrivals it releases only what fences have.
  void meet(const indices& who, bool releases_all, scope reach) {
    event_set all, leading;
    for (const index each : who) {
      leading |= agents[each].leading;
      if (releases_all) all |= agents[each].known;
      for (const event& other : events)
        if (other.agent == each && other.is_fence(simt::releases) && other.reach >= reach)
          all |= other.before;
    }
    for (const index each : who) {
      agents[each].known |= all;
      agents[each].leading = leading;
    }
  }

  /// Of memory that a new block gets.
  void forget(index begin, index end) {
    for (event& each : events)
      if (each.touches(begin, end)) each.begin = each.end = 0;
    for (index word = begin / 4; word < end / 4; ++word) leading_[word] = {};
  }

 private:
  void add(const event& what) {
    events.push_back(what);
    events.back().before.set(events.size() - 1);
    agents[what.agent].known |= events.back().before;
  }
  static bool have_one_extent(const event& a, const event& b) {
    return a.end != 0 && a.begin == b.begin && a.end == b.end;
  }
  bool are_strong(const event& a, const event& b) const {
    const scope needed = narrowest(agents[a.agent].who, agents[b.agent].who);
    return a.is_atomic() && b.is_atomic() && have_one_extent(a, b) && a.reach >= needed &&
           b.reach >= needed;
  }
  /// The last write to a word before event `end`, or else a large number.
  index written(index word, index end) const {
    for (index i = end; i-- > 0;)
      if (events[i].writes && events[i].touches(4 * word, 4 * word + 4)) return i;
    return none;
  }
  /// Releases from which comes what an access would read now, and the scope of an acquire.
  std::vector<std::pair<index, scope>> sources_of(const event& by) const {
    std::vector<std::pair<index, scope>> found;
    index at = written(by.begin / 4, static_cast<index>(events.size()));
    for (; at < events.size() && events[at].is_atomic(); at = written(by.begin / 4, at)) {
      const event& write = events[at];
      const scope needed = narrowest(agents[write.agent].who, agents[by.agent].who);
      if (!have_one_extent(write, by)) break;
      if (releases(write.order) && write.reach >= needed) found.emplace_back(at, needed);
      for (index i = 0; i < at; ++i)
        if (events[i].agent == write.agent && events[i].is_fence(simt::releases) &&
            events[i].reach >= needed)
          found.emplace_back(i, needed);
      if (!simt::is_rmw(write.kind)) break;
    }
    return found;
  }

  std::map<index, event_set> leading_;  ///< from strong writes of a word
};

}  // namespace simt_test::race_model_test
