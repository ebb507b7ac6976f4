// SPDX-License-Identifier: Apache-2.0
#include <simt/races/happens_before.hpp>

#include <algorithm>

namespace simt {

namespace {

std::size_t index_of(scope reach) {
  return static_cast<std::size_t>(reach);
}

// A thread that polls without ever acquiring must not gather clocks without limit.
constexpr std::size_t max_readings = 32;

}  // namespace

scope common_scope(const agent_id& a, const agent_id& b) {
  if (a.block == b.block) return scope::block;
  if (a.cluster == b.cluster) return scope::cluster;
  return a.gpu == b.gpu ? scope::device : scope::system;
}

vector_clock& release_clock::part_of(std::vector<of_group>& parts, std::uint32_t group) {
  for (of_group& each : parts)
    if (each.group == group) return each.known;
  return parts.emplace_back(of_group{group, {}}).known;
}

void release_clock::clear() {
  blocks_.clear();
  clusters_.clear();
  gpus_.clear();
  all_ = {};
  only_block_ = none;
}

void release_clock::add(const vector_clock& known, const agent_id& by, scope reach) {
  const bool is_first = blocks_.empty() && all_.empty();
  const bool in_groups = by.has_neighbours || by.has_peers;
  if (reach >= scope::device && !in_groups && (is_first || only_block_ == by.block)) {
    only_block_ = by.block;
  } else {
    if (only_block_ != none) part_of(blocks_, only_block_) = all_;
    only_block_ = none;
    part_of(blocks_, by.block).join(known);
    if (by.has_neighbours && reach >= scope::cluster) part_of(clusters_, by.cluster).join(known);
    if (by.has_peers && reach >= scope::device) part_of(gpus_, by.gpu).join(known);
  }
  if (reach >= reaches_all(by)) all_.join(known);
}

void happens_before::start(const agent_id& who) {
  location_history& self = agents_[who.thread];
  self.who = who;
  self.born = ++self.now;
  self.known = {};
  self.released = {};
  self.has_fenced = false;
  self.readings.clear();
  self.from_fences = {};
}

void happens_before::begin_from(std::uint32_t thread, std::uint32_t starter) {
  agents_[thread].from_fences = agents_[starter].from_fences;
  agents_[thread].known = snapshot(agents_[starter]);
  ++agents_[starter].now;
}

void happens_before::proxy_fence(std::uint32_t thread) {
  location_history& self = agents_[thread];
  self.known.fence(snapshot(self));
  ++self.now;
}

vector_clock happens_before::snapshot(const location_history& self) const {
  vector_clock all = self.known;
  all.set(self.who.thread, self.now, agents_.size());
  return all;
}

void happens_before::note_reading(location_history& self, const vector_clock& known, scope needed) {
  for (const reading& each : self.readings)
    if (each.needed == needed && each.known.is_copy_of(known)) return;
  if (self.readings.size() < max_readings) {
    self.readings.push_back({known, needed});
    return;
  }
  for (reading& each : self.readings)
    if (each.needed == needed) return each.known.join(known);
  self.readings.push_back({known, needed});
}

void happens_before::acquire(location_history& self, scope reach) {
  const auto acquired = std::partition(self.readings.begin(), self.readings.end(),
                                       [&](const reading& r) { return r.needed > reach; });
  for (auto each = acquired; each != self.readings.end(); ++each) self.known.join(each->known);
  self.readings.erase(acquired, self.readings.end());
}

void happens_before::read(std::uint32_t thread, const release_clock& from, memory_order order,
                          scope reach) {
  location_history& self = agents_[thread];
  self.from_fences.join(from.from_fences);
  from.for_reader(self.who, [&](const vector_clock& known, scope needed) {
    if (acquires(order) && needed <= reach)
      self.known.join(known);
    else
      note_reading(self, known, needed);
  });
}

void happens_before::write(std::uint32_t thread, std::unique_ptr<release_clock>& to,
                           memory_order order, scope reach, bool replaces) {
  location_history& self = agents_[thread];
  if (replaces && to) to->clear();
  if (!self.from_fences.empty()) {
    if (!to) to = std::make_unique<release_clock>();
    to->from_fences.join(self.from_fences);
  }
  if (!self.has_fenced && !releases(order)) return;
  const auto hand_on = [&](const vector_clock& known, scope among) {
    if (!to) to = std::make_unique<release_clock>();
    to->add(known, self.who, among);
  };
  for (std::size_t each = 0; each < scopes; ++each) {
    if (!self.released[each].empty()) hand_on(self.released[each], static_cast<scope>(each));
  }
  if (!releases(order)) return;
  hand_on(snapshot(self), reach);
  ++self.now;
}

void happens_before::fence(std::uint32_t thread, memory_order order, scope reach) {
  location_history& self = agents_[thread];
  if (acquires(order)) acquire(self, reach);
  if (order == memory_order::seq_cst && reach >= release_clock::reaches_all(self.who)) {
    self.known.join(self.from_fences);
    self.from_fences = snapshot(self);
  } else if (order == memory_order::seq_cst) {
    sequentially_consistent_.for_reader(self.who, [&](const vector_clock& known, scope needed) {
      if (needed <= reach) self.known.join(known);
    });
    sequentially_consistent_.add(snapshot(self), self.who, reach);
  }
  if (!releases(order)) return;
  self.released[index_of(reach)] = snapshot(self);
  self.has_fenced = true;
  ++self.now;
}

void happens_before::meet(std::span<const std::uint32_t> threads, memory_order arrival,
                          scope reach) {
  vector_clock all;
  vector_clock from_fences;
  for (const std::uint32_t thread : threads) from_fences.join(agents_[thread].from_fences);
  const bool release = arrival != memory_order::relaxed;
  for (const std::uint32_t thread : threads) {
    const location_history& self = agents_[thread];
    if (release) {
      all.join(self.known);
    } else {
      for (std::size_t each = index_of(reach); each < scopes; ++each) all.join(self.released[each]);
    }
  }
  if (release) {
    for (const std::uint32_t thread : threads) all.set(thread, agents_[thread].now, agents_.size());
  }
  for (const std::uint32_t thread : threads) {
    location_history& self = agents_[thread];
    self.from_fences = from_fences;
    if (!release) {
      self.known.join(all);
      continue;
    }
    self.known = all;
    ++self.now;
  }
}

bool happens_before::awaits_acquire(std::uint32_t reader, std::uint32_t thread, epoch time,
                                    scope& needed) const {
  for (const reading& each : agents_[reader].readings) {
    if (each.known.time_of(thread) < time) continue;
    needed = each.needed;
    return true;
  }
  return false;
}

}  // namespace simt
