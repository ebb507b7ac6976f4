// SPDX-License-Identifier: Apache-2.0
#include <simt/arena.hpp>
#include <simt/races/race_detector.hpp>

#include <algorithm>

namespace simt {

race_detector::race_detector(std::span<const thread> threads, std::span<const std::byte> shared,
                             const grid_layout& layout)
    : threads_(threads),
      shared_(shared),
      global_(static_cast<const std::byte*>(global_memory().base())),
      layout_(layout),
      order_(threads.size()),
      recent_(threads.size()),
      barriers_(threads.size() / warp_size) {}

void race_detector::start(const thread& t) {
  order_.start(agent_of(t.number, t.block->number));
  log_.note({.thread = t.number, .kind = sync_kind::begin});
  if (locks_.contains(t.number)) note_lock(t, nullptr, false);
}

void race_detector::start_async(const thread& t, const thread& starter, const async_wait& wait) {
  start(t);
  order_.begin_from(t.number, starter.number);
  for (const sync_kind each : {sync_kind::store, sync_kind::load}) {
    const thread& by = each == sync_kind::load ? t : starter;
    log_.note({.where = &waits_,
               .thread = by.number,
               .block = by.block->number,
               .kind = each,
               .order = memory_order::acq_rel});
  }
  waits_[t.site] = &wait;
}

void race_detector::hand_on(const thread& by, std::unique_ptr<release_clock>& to) {
  log_.note({.where = &to,
             .site = by.site,
             .thread = by.number,
             .block = by.block->number,
             .kind = to ? sync_kind::update : sync_kind::store,
             .what = op_kind::named_barrier,
             .order = memory_order::release});
  order_.write(by.number, to, memory_order::release, scope::block, false);
}

void race_detector::learn(const thread& by, const std::unique_ptr<release_clock>& from) {
  log_.note({.where = &from,
             .site = by.site,
             .thread = by.number,
             .block = by.block->number,
             .kind = sync_kind::load,
             .what = op_kind::named_barrier,
             .order = memory_order::acquire});
  order_.read(by.number, *from, memory_order::acquire, scope::block);
}

void race_detector::meet(std::span<const std::uint32_t> threads, memory_order arrival,
                         scope reach) {
  sync_event met{.thread = threads.front(),
                 .block = threads.back(),
                 .kind = sync_kind::meeting,
                 .order = arrival,
                 .reach = reach,
                 .is_of_lanes = threads.front() / warp_size == threads.back() / warp_size};
  if (met.is_of_lanes) {
    met.block = 0;
    for (const std::uint32_t each : threads) met.block |= 1u << each % warp_size;
  }
  log_.note(met);
  order_.meet(threads, arrival, reach);
}

std::uint64_t race_detector::offset_of(const void* address) const {
  const std::byte* const base = in_shared(address) ? shared_.data() : global_;
  return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - base);
}

void race_detector::forget(const std::byte* shared, std::size_t bytes) {
  of_shared_.clear(static_cast<std::uint64_t>(shared - shared_.data()), bytes);
}

bool race_detector::are_morally_strong(const access_record& a, const access_record& b) const {
  const scope least = common_scope_of(a, b);
  return a.is_atomic() && b.is_atomic() && a.same_extent(b) && a.reach >= least && b.reach >= least;
}

const access_record* race_detector::find_conflict(const word_history& word,
                                                  const access_record& now, bool writes_it) const {
  const auto races = [&](const access_record& earlier) { return conflict(earlier, now); };
  if (word.full == nullptr) {
    if (races(word.write)) return &word.write;
    return writes_it && races(word.read) ? &word.read : nullptr;
  }
  if (const access_record* found = word.full->plain_writes.find(races)) return found;
  if (writes_it) {
    if (const access_record* found = word.full->plain_reads.find(races)) return found;
  }
  const atomic_history* const atomics = word.atomics();
  if (atomics == nullptr || atomics->is_in_earlier_phase_than(now)) return nullptr;
  return find_conflict(*atomics, now, writes_it);
}

const access_record* race_detector::find_conflict(const atomic_history& atomics,
                                                  const access_record& now, bool writes_it) const {
  if (now.is_atomic() && atomics.goes_well_with(now, widest_needed())) return nullptr;
  const auto races = [&](const access_record& earlier) { return conflict(earlier, now); };
  std::optional<observed_writes> observed;  // rarely needed
  const auto is_observed = [&](const atomic_record& write) {
    if (!observed) {
      atomics.add_observed(observed.emplace(), [&](std::uint32_t thread, epoch time) {
        return order_.knows(now.thread, thread, time);
      });
    }
    return observed->has(write.place);
  };
  const access_record* const write = atomics.writes.find(
      [&](const atomic_record& earlier) { return races(earlier) && !is_observed(earlier); });
  if (write != nullptr || !writes_it) return write;
  // A thread's accesses to one location keep their order: its read precedes its observed write.
  return atomics.reads.find([&](const atomic_record& earlier) {
    if (!races(earlier)) return false;
    const atomic_record* const later = atomics.writes.same(earlier);
    return later == nullptr || later->block != earlier.block || later->place <= earlier.place ||
           !is_observed(*later);
  });
}

/// As note(), of a plain access, if the word needs no full history then.
///
/// A read replaces one that happened before it, of no more bytes: a later write that races with the
/// earlier one also races with it.
bool race_detector::note_alone(shadow_memory& shadow, word_history& word, const access_record& now,
                               bool writes_it) const {
  if (word.full != nullptr) {
    if (!writes_it || now.touched != whole_word || word.atomics() != nullptr) return false;
    shadow.clear(word);
  }
  access_record& same_kind = writes_it ? word.write : word.read;
  const auto is_covered = [&](const access_record& earlier) {
    return (earlier.touched & ~now.touched) == 0;
  };
  if (!is_covered(same_kind)) return false;
  if (writes_it) {
    if (is_covered(word.read)) word.read = {};
  } else if (same_kind.time != 0) {
    access_record made = now;
    if (is_async(now)) made.barriers = 0;  // it comes after no phase
    if (!happened_before(same_kind, made)) return false;
  }
  same_kind = now;
  return true;
}

/// A plain write replaces the accesses it does not race with: all of them happened before it, and
/// any later access that races with one of them also races with the write.
/// It also replaces those whose race with it was reported.
void race_detector::note(shadow_memory& shadow, word_history& word, const access_record& now,
                         bool reads_it, bool writes_it) {
  if (!now.is_atomic() && note_alone(shadow, word, now, writes_it)) return;
  full_history& all = shadow.expand(word);
  if (now.is_atomic()) {
    atomic_history& atomics = all.made_atomics();
    const access_record* const newest = atomics.newest();
    atomics.put(now, reads_it, writes_it, newest != nullptr && are_morally_strong(*newest, now));
  } else if (writes_it) {
    all.plain_reads.drop(now.touched);
    all.plain_writes.drop(now.touched);
    if (all.has_atomics) all.atomics.overwrite(now.touched);
    all.plain_writes.put(now);
  } else {
    all.plain_reads.put(now);
  }
}

bool race_detector::looks_again(const thread& by, const operation& op,
                                const atomic_history& first) {
  const poll now{op.address, first.version, order_.now(by.number), op.order, op.reach, op.bytes};
  poll& before = recent_[by.number][reinterpret_cast<std::uintptr_t>(op.address) / 4 % polls];
  if (before == now) return true;
  before = now;
  return false;
}

namespace {

/// The bytes of word number `word` that an access to [begin, end) touches, one bit each.
std::uint8_t touched_bytes(std::uint64_t begin, std::uint64_t end, std::uint64_t word) {
  const unsigned from = begin > 4 * word ? static_cast<unsigned>(begin - 4 * word) : 0;
  const unsigned to = static_cast<unsigned>(std::min<std::uint64_t>(end - 4 * word, 4));
  return static_cast<std::uint8_t>((1u << to) - (1u << from));
}

}  // namespace

void race_detector::find_unset(const word_history& word, const access_record& now,
                               const void* address) {
  if ((now.touched & ~written_bytes(word)) == 0) return;
  if (!reported_.insert({nullptr, now.site}).second) return;
  found_ = race{{}, now, address};
  report_();
}

bool race_detector::access(const thread& by, const operation& op, bool wrote, const void* site) {
  const bool is_atomic = op.kind > op_kind::plain_store;
  const bool is_read = reads(op.kind);
  const bool is_async = by.started_by != nullptr;
  needs_proxy_fence_ = is_async && op.kind == op_kind::plain_load && in_shared(op.address);
  is_read_only_ = op.kind == op_kind::plain_load && op.may_be_stale;
  const std::uint64_t begin = offset_of(op.address);
  const std::uint64_t end = begin + op.bytes;
  shadow_memory& shadow = in_shared(op.address) ? of_shared_ : of_global_;
  const word_history& first = shadow.at(begin);
  if (first.full != nullptr) first.full->fetch();
  bool is_cut = false;  // it reads what it does not synchronize with
  if (is_atomic) {
    const atomic_history* const before = first.atomics();
    is_cut = before != nullptr && before->is_cut_by(op.bytes, touched_bytes(begin, end, begin / 4));
    if (op.order == memory_order::seq_cst) {
      order_.fence(by.number, memory_order::seq_cst, op.reach);
    } else if (!wrote && before != nullptr && looks_again(by, op, *before)) {
      return true;
    }
    // What the access itself acquires happens before it.
    if (is_read && before != nullptr && before->handed_on && !is_cut)
      order_.read(by.number, *before->handed_on, op.order, op.reach);
  }
  for (std::uint64_t word = begin / 4; 4 * word < end; ++word) {
    word_history& history = shadow.at(4 * word);
    // A new record for each word: copying one just written member by member is slow.
    access_record now{.thread = by.number,
                      .time = order_.now(by.number),
                      .site = site,
                      .block = by.block->number,
                      .barriers = is_async ? 0 : barriers_of(*by.block),
                      .kind = op.kind,
                      .bytes = op.bytes,
                      .reach = op.reach,
                      .events = log_.end()};
    now.part = static_cast<std::uint8_t>(word - begin / 4) & 0xf;
    now.touched = touched_bytes(begin, end, word) & 0xf;
    if (is_read && looks_for_unset_ && &shadow == &of_shared_) find_unset(history, now, op.address);
    while (const access_record* earlier = find_conflict(history, now, wrote)) {
      found_ = race{*earlier, now, op.address, is_read_only_};
      if (!report_) return false;
      reported_.insert({earlier->site, site});
      report_();
    }
    if (is_async) now.barriers = no_phase;
    note(shadow, history, now, is_read, wrote);
  }
  if (is_atomic) {
    log_.note({.where = op.address,
               .site = site,
               .thread = by.number,
               .block = by.block->number,
               .kind = !wrote            ? sync_kind::load
                       : is_rmw(op.kind) ? sync_kind::update
                                         : sync_kind::store,
               .what = op.kind,
               .order = op.order,
               .reach = op.reach});
  }
  if (is_atomic && wrote) {
    atomic_history& made = shadow.expand(shadow.at(begin)).made_atomics();
    order_.write(by.number, made.handed_on, op.order, op.reach, !is_rmw(op.kind) || is_cut);
  }
  return true;
}

}  // namespace simt
