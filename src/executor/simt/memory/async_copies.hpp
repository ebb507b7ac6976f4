// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: a copy writes garbage when it begins, and takes place when its thread waits
// for it. Until then it may write its target and read its source at any time: an access of a thread
// to the one, or a write to the other, ends the launch.
#pragma once

#include <simt/threads/thread_turns.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace simt {

struct async_copy {
  const void* to = nullptr;
  const void* from = nullptr;
  std::uint8_t bytes = 0;       ///< 4, 8 or 16; both sides are aligned to that
  std::uint32_t thread = 0;     ///< slot of the thread that has begun it, and has to wait for it
  const void* batch = nullptr;  ///< what that thread waits for: copies that begin under one name
  const void* site = nullptr;   ///< where it began
};

struct running_launch;
class memory_accesses;

class async_copies {
 public:
  void begin(running_launch& launch, memory_accesses& accesses, const async_copy& copy);
  /// The copies of the running thread and this batch take place, in the order in which they began.
  void wait(running_launch& launch, memory_accesses& accesses, const void* batch, const void* site);

  bool empty() const { return targets_.empty(); }
  /// Forgets the copies of threads [first, first + count): their block has ended.
  void forget(std::uint32_t first, std::uint32_t count);

  /// Whether the access disturbs a copy, or sees it unfinished: then explain() knows both.
  bool are_met_by(const operation& op, const void* site);
  void explain(const failure& what, const resident_blocks& resident, fault& to) const;

 private:
  /// By places of 16 bytes, as no copy lies in two.
  using by_place = std::unordered_multimap<std::uintptr_t, async_copy>;
  static const async_copy* find(const by_place& copies, const void* async_copy::*side,
                                const operation& op);
  static void erase(by_place& copies, const void* side, const async_copy& which);
  /// Ends the first copy of a batch. One by one, as a fiber that is given up must not own memory.
  std::optional<async_copy> take(std::uint32_t thread, const void* batch);

  by_place targets_;
  by_place sources_;
  std::unordered_map<std::uint32_t, std::vector<async_copy>> of_thread_;
  struct meeting {
    async_copy copy;
    bool at_target = false;  ///< or else a write at its source
    operation op;
    const void* site = nullptr;
  };
  std::optional<meeting> met_;
};

}  // namespace simt
