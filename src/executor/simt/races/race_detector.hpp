// SPDX-License-Identifier: Apache-2.0
// The race detector (`--check races`) finds unordered accesses. A race is two accesses to the same
// bytes, by different threads, at least one of them a write, with neither preceding the other in
// causality order: by happening before it, or, an atomic write, by being observed by what happens
// before it (the ticket of others by whoever draws the last one). Two atomic accesses do not race
// if their scopes include each other's threads and they access the same bytes (PTX ISA, "Memory
// Consistency Model": morally strong; all else is a data race, and its outcome is undefined).
//
// The interleaving need not show the fault: a missing fence is missing in every run that passes its
// place.
#pragma once

#include <simt/async_threads.hpp>
#include <simt/fault.hpp>
#include <simt/grid_layout.hpp>
#include <simt/races/access_history.hpp>
#include <simt/races/happens_before.hpp>
#include <simt/races/held_locks.hpp>
#include <simt/races/sync_log.hpp>
#include <simt/races/sync_paths.hpp>
#include <simt/thread.hpp>
#include <simt/threads/fiber.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace simt {

class race_detector {
 public:
  /// Stack space that it needs on the stack of the thread it checks; kernels must not use it.
  static constexpr std::size_t stack_bytes = 4 * 1024 * stack_factor;

  /// \param shared the shared memory of all resident blocks, in one range.
  /// \param layout outlives the detector.
  race_detector(std::span<const thread> threads, std::span<const std::byte> shared,
                const grid_layout& layout);

  void start(const thread& t);
  /// \param wait outlives the detector.
  void start_async(const thread& t, const thread& starter, const async_wait& wait);
  /// For reports: from now on the thread holds a lock, or does not any more.
  void note_lock(const thread& by, const void* lock, bool held) {
    locks_[by.number].note(lock, order_.begin_epoch(by.number), held);
  }
  void proxy_fence(const thread& by) { order_.proxy_fence(by.number); }
  /// A block begins in memory that another block has used.
  void forget(const std::byte* shared, std::size_t bytes);

  /// Begins to load what access() will need of the address.
  void fetch(const void* address) const {
    (in_shared(address) ? of_shared_ : of_global_).fetch(offset_of(address));
  }
  /// \param wrote whether it stored, even an unchanged value.
  /// \returns false when it races with an earlier access, unless go_on_after_races() was called:
  /// see found().
  bool access(const thread& by, const operation& op, bool wrote, const void* site);
  void fence(const thread& by, memory_order order, scope reach) {
    order_.fence(by.number, order, reach);
    log_.note({.thread = by.number, .order = order, .reach = reach});
  }
  /// A release, or an acquire, of block scope without an access: at a barrier, or at the end of
  /// async threads.
  void hand_on(const thread& by, std::unique_ptr<release_clock>& to);
  void learn(const thread& by, const std::unique_ptr<release_clock>& from);
  /// See happens_before::meet(). \param threads in order
  void meet(std::span<const std::uint32_t> threads, memory_order arrival, scope reach);

  /// As meet(), of all threads of a block.
  void meet_in_block(const block_state& block, std::span<const std::uint32_t> threads) {
    meet(threads, memory_order::acq_rel, scope::block);
    ++barriers_of(block);
  }

  /// An access to the shared memory of a block of the cluster, by another one or by an async
  /// thread: it has to come before the block's end.
  void note_remote(const thread& by, const block_state& owner, const operation& op, bool wrote,
                   const void* site);
  /// The block has read this word of its shared memory, and has seen what others did to it.
  void note_seen(const block_state& owner, const void* address);
  /// All threads of a cluster have arrived at its barrier, so that they have done their accesses.
  void note_cluster_barrier(std::span<const block_state> cluster);
  /// All threads of the block have ended. \returns false as access().
  bool end_block(const block_state& block);

  /// From now on access() and end_block() call `report` at each race whose pair of places is new,
  /// and goes on. \param unset also at the first read by each place of shared memory that nothing
  /// has written.
  void go_on_after_races(std::function<void()> report, bool unset) {
    report_ = std::move(report);
    looks_for_unset_ = unset;
  }

  /// The race found last.
  fault found() const;

 private:
  struct race {
    access_record earlier;  ///< none if `later` reads what nothing has written
    access_record later;
    const void* address;
    bool is_read_only = false;  ///< `later`, of memory that nothing should write
  };

  /// A read that found nothing new. Until a thread writes, the next equal read finds nothing new
  /// either. Most reads are such polls.
  struct poll {
    const void* address = nullptr;
    std::uint32_t version = 0;
    epoch time = 0;
    memory_order order = memory_order::relaxed;
    scope reach = scope::device;
    std::uint8_t bytes = 0;

    bool operator==(const poll&) const = default;
  };
  static constexpr std::size_t polls = 4;  ///< by address, so that a loop may poll several words
  using recent_polls = std::array<poll, polls>;

  bool in_shared(const void* address) const {
    return address >= shared_.data() && address < shared_.data() + shared_.size();
  }
  /// Counted on while other blocks take the same place: a number of a block and these tell apart
  /// all phases of the launch.
  std::uint32_t& barriers_of(const block_state& block) {
    return barriers_[block.first_thread / warp_size];
  }
  std::uint64_t offset_of(const void* address) const;
  bool looks_again(const thread& by, const operation& op, const atomic_history& first);
  agent_id agent_of(std::uint32_t thread, std::uint32_t block) const {
    return {.thread = thread,
            .block = block,
            .cluster = layout_.cluster_of(block),
            .gpu = layout_.gpu_of(block),
            .has_neighbours = layout_.cluster_blocks() > 1,
            .has_peers = layout_.has_several_gpus()};
  }
  scope common_scope_of(const access_record& a, const access_record& b) const {
    return common_scope(agent_of(a.thread, a.block), agent_of(b.thread, b.block));
  }
  /// The narrowest that includes all threads of the launch.
  scope widest_needed() const { return layout_.has_several_gpus() ? scope::system : scope::device; }
  /// Of the same bytes, with scopes that include each other's threads.
  bool are_morally_strong(const access_record& a, const access_record& b) const;
  bool is_async(std::uint32_t thread) const { return thread >= threads_.size() - async_slots; }
  bool is_async(const access_record& by) const { return is_async(by.thread); }
  bool happened_before(const access_record& earlier, const access_record& later) const {
    return earlier.is_in_earlier_phase_than(later) ||
           (order_.knows(later.thread, earlier.thread, earlier.time) &&
            (!needs_proxy_fence_ || is_async(earlier) ||
             order_.knows_through_proxy_fence(later.thread, earlier.thread, earlier.time)));
  }
  bool conflict(const access_record& earlier, const access_record& later) const {
    return (earlier.touched & later.touched) != 0 &&
           (is_read_only_ || !happened_before(earlier, later)) &&
           !are_morally_strong(earlier, later) && !reported_.contains({earlier.site, later.site});
  }
  const access_record* find_conflict(const word_history& word, const access_record& now,
                                     bool writes_it) const;
  const access_record* find_conflict(const atomic_history& atomics, const access_record& now,
                                     bool writes_it) const;
  bool note_alone(shadow_memory& shadow, word_history& word, const access_record& now,
                  bool writes_it) const;
  void note(shadow_memory& shadow, word_history& word, const access_record& now, bool reads_it,
            bool writes_it);

  /// Reports a read by a place that is new.
  void find_unset(const word_history& word, const access_record& now, const void* address);

  std::string place_of(const void* address) const;
  std::string locks_held_at(const access_record& record) const;
  std::string name_of(std::uint32_t thread, std::uint32_t block) const;
  std::string name_of(const access_record& record) const {
    return name_of(record.thread, record.block);
  }
  concerned_threads described(const access_record& record) const;
  std::string what_is_missing() const;
  std::string what_is_weak(const sync_followers& of_earlier) const;
  uncounted_accesses uncounted() const;
  const sync_event* waiting_beside() const;
  std::string what_is_absent(const sync_followers& of_earlier) const;
  std::string what_is_missing_for_copies() const;

  std::span<const thread> threads_;
  std::span<const std::byte> shared_;
  const std::byte* global_;
  const grid_layout& layout_;
  happens_before order_;
  sync_log log_;
  shadow_memory of_global_;
  shadow_memory of_shared_;
  std::vector<recent_polls> recent_;
  std::map<std::uint32_t, held_locks> locks_;  ///< of threads that take some
  std::vector<std::uint32_t>
      barriers_;  ///< that all threads of a block have passed, by its first warp
  std::map<const void*, const async_wait*> waits_;  ///< by where async threads start
  bool needs_proxy_fence_ = false;  ///< the access that is looked at: to find writes
  bool is_read_only_ = false;       ///< the same
  std::optional<race> found_;
  std::function<void()> report_;  ///< empty: the first race ends the search
  bool looks_for_unset_ = false;
  /// The last one of a thread of this kind, by the block's number, the thread's, and the kind.
  enum class remote_kind : std::uint8_t { plain, polls, signals };
  struct remote_access {
    access_record record;
    const void* address;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, remote_kind>, remote_access> remote_;
  std::optional<fault> after_end_;  ///< found last, if it is no `race`
  using pair_of_sites = std::pair<const void*, const void*>;
  std::set<pair_of_sites> reported_;  ///< the earlier access first
};

}  // namespace simt
