// SPDX-License-Identifier: Apache-2.0
// The happens-before order of one launch, by vector clocks, with the scopes of the PTX memory model
// (PTX ISA, "Memory Consistency Model": release and acquire patterns, synchronizes, causality
// order).
//
// A release pattern is a releasing write, or a release fence and a later strong write. An acquire
// pattern is an acquiring read, or a strong read and a later acquire fence. A release synchronizes
// with an acquire under two conditions. The read sees the release's write, or a value that
// read-modify-writes derived from it. And the scope of the release includes the reader, and that of
// the acquire the writer. Also synchronizing are __syncwarp() and the barriers of block and
// cluster, among their participants, and sequentially consistent fences among each other. Shuffles,
// votes and __activemask() order nothing.
//
// Two sequentially consistent fences that reach all threads synchronize if strong accesses and
// barriers lead from the one to the other: then they are in this order in each execution with the
// same values. Otherwise chance has ordered them, and another execution may do it the other way.
//
// It is exact for the observed interleaving, in which reads return the last write; so it requires
// strong memory.
#pragma once

#include <simt/races/vector_clock.hpp>
#include <simt/thread.hpp>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace simt {

/// A thread in the memory model: its slot, and its groups in the grid.
struct agent_id {
  std::uint32_t thread = 0;
  std::uint32_t block = 0;
  std::uint32_t cluster = 0;
  std::uint32_t gpu = 0;
  bool has_neighbours = false;  ///< the cluster has more than one block
  bool has_peers = false;       ///< the launch has more than one GPU

  bool operator==(const agent_id&) const = default;
};

/// The narrowest scope that includes both.
scope common_scope(const agent_id& a, const agent_id& b);

/// Whether `reach`, an operation's scope by one of them, includes the other.
inline bool includes(scope reach, const agent_id& a, const agent_id& b) {
  return reach >= common_scope(a, b);
}

/// What the writes to one location release to its readers.
class release_clock {
 public:
  /// A write that does not read: it ends the release sequences of earlier writes.
  void clear();

  /// `by` releases `known` to the threads of its block, its cluster, its GPU or all.
  void add(const vector_clock& known, const agent_id& by, scope reach);

  /// What sequentially consistent fences came before the strong accesses of the location.
  vector_clock from_fences;

  /// The narrowest scope that includes all threads.
  static scope reaches_all(const agent_id& one) {
    return one.has_peers ? scope::system : scope::device;
  }

  /// use(clock, reach) for each clock that `reader` gets by an acquire of at least `reach`.
  template <class Use>
  void for_reader(const agent_id& reader, Use use) const {
    if (only_block_ == reader.block) return use(all_, scope::block);
    for (const of_group& each : blocks_)
      if (each.group == reader.block) use(each.known, scope::block);
    for (const of_group& each : clusters_)
      if (each.group == reader.cluster) use(each.known, scope::cluster);
    for (const of_group& each : gpus_)
      if (each.group == reader.gpu) use(each.known, scope::device);
    if (!all_.empty()) use(all_, reaches_all(reader));
  }

 private:
  struct of_group {
    std::uint32_t group;
    vector_clock known;
  };
  static vector_clock& part_of(std::vector<of_group>& parts, std::uint32_t group);
  static constexpr std::uint32_t none = ~0u;

  /// The block of all releasing threads so far, if they belong to one block and used device scope
  /// or wider. Then `all_` is the only clock.
  std::uint32_t only_block_ = none;
  std::vector<of_group> blocks_;    ///< for threads of the block, at any scope
  std::vector<of_group> clusters_;  ///< for threads of the cluster, at cluster scope or wider
  std::vector<of_group> gpus_;      ///< of several: for their threads, at device scope or wider
  vector_clock all_;                ///< for any thread, at a scope that includes all, or wider
};

class happens_before {
 public:
  explicit happens_before(std::size_t threads) : agents_(threads) {}

  /// A thread begins in this slot. It does not know what an earlier thread did there.
  void start(const agent_id& who);

  /// What `starter` has done so far happens before all that `thread` does.
  void begin_from(std::uint32_t thread, std::uint32_t starter);

  const agent_id& agent(std::uint32_t thread) const { return agents_[thread].who; }
  epoch now(std::uint32_t thread) const { return agents_[thread].now; }

  /// What the thread does from now on has another time, which is returned.
  epoch begin_epoch(std::uint32_t thread) { return ++agents_[thread].now; }

  /// Whether what `other` did at `time` has happened before what `thread` does now.
  bool knows(std::uint32_t thread, std::uint32_t other, epoch time) const {
    const location_history& self = agents_[thread];
    return (other == thread && time >= self.born) || time <= self.known.time_of(other);
  }

  /// Whether it has happened before that, with a proxy fence in between.
  bool knows_through_proxy_fence(std::uint32_t thread, std::uint32_t other, epoch time) const {
    return time <= agents_[thread].known.fenced_time_of(other);
  }
  void proxy_fence(std::uint32_t thread);

  /// A strong read by `thread` of what `from` releases, acquiring or not.
  void read(std::uint32_t thread, const release_clock& from, memory_order order, scope reach);
  /// A strong write by `thread`; `replaces` unless it is a read-modify-write. Creates `to` on
  /// demand.
  void write(std::uint32_t thread, std::unique_ptr<release_clock>& to, memory_order order,
             scope reach, bool replaces);
  void fence(std::uint32_t thread, memory_order order, scope reach);

  /// Synchronizes all of them, at the end of a barrier. With relaxed arrivals they release only
  /// what their fences have released at `reach` or wider; waiting acquires in any case.
  void meet(std::span<const std::uint32_t> threads, memory_order arrival, scope reach);

  /// For reports: whether `reader` has read some of what `thread` has released since `time` without
  /// acquiring it. If so, `needed` becomes the scope that an acquire would need.
  bool awaits_acquire(std::uint32_t reader, std::uint32_t thread, epoch time, scope& needed) const;

 private:
  struct reading {
    vector_clock known;
    scope needed;
  };
  struct location_history {
    agent_id who;
    epoch now = 0;
    epoch born = 0;
    bool has_fenced = false;                    ///< with a release: some of `released` is set
    vector_clock known;                         ///< of others; a thread knows its own actions
    std::array<vector_clock, scopes> released;  ///< by its last release fence of each scope
    std::vector<reading> readings;              ///< not yet acquired
    /// What others knew at sequentially consistent fences from which strong accesses and barriers
    /// lead to here.
    vector_clock from_fences;
  };

  vector_clock snapshot(const location_history& self) const;
  void note_reading(location_history& self, const vector_clock& known, scope needed);
  void acquire(location_history& self, scope reach);

  std::vector<location_history> agents_;
  /// Among fences of that kind, in their order; but for those that reach all.
  release_clock sequentially_consistent_;
};

}  // namespace simt
