// SPDX-License-Identifier: Apache-2.0
// The last synchronizing events of a launch: who met whom, and who read what another had written.
// Hints follow them, whatever their order and scope, to the one that is too weak or missing.
#pragma once

#include <simt/operation.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simt {

enum class sync_kind : std::uint8_t {
  load,
  store,   ///< ends what others have written there
  update,  ///< a read-modify-write that has written
  fence,
  begin,    ///< of a thread, in a slot that another one may have left
  meeting,  ///< of a barrier's threads
};

struct sync_event {
  const void* where = nullptr;  ///< a word, or the state of a barrier
  const void* site = nullptr;   ///< null: unknown
  std::uint32_t thread = 0;     ///< its slot; of a meeting the first one
  std::uint32_t block = 0;      ///< of a meeting: lanes of its warp, or else the last one's slot
  sync_kind kind = sync_kind::fence;
  op_kind what = op_kind::fence;
  memory_order order = memory_order::relaxed;
  scope reach = scope::block;
  bool is_of_lanes = false;  ///< a meeting within a warp

  bool writes() const { return kind == sync_kind::store || kind == sync_kind::update; }
  bool reads() const { return kind == sync_kind::load || kind == sync_kind::update; }
  /// Calls use(slot) for all threads of a meeting, and perhaps for absent ones between them.
  template <class Use>
  void for_members(Use use) const {
    if (!is_of_lanes)
      for (std::uint32_t slot = thread; slot <= block; ++slot) use(slot);
    else
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        if ((block >> lane & 1) != 0) use(thread / 32 * 32 + lane);
  }
};

class sync_log {
 public:
  void note(const sync_event& event) {
    if (events_.size() < most)
      events_.push_back(event);
    else
      events_[end_ % most] = event;
    ++end_;
  }
  /// Events have numbers, from 0. Those from first() to end() are known.
  std::uint32_t first() const { return end_ - static_cast<std::uint32_t>(events_.size()); }
  std::uint32_t end() const { return end_; }
  const sync_event& at(std::uint32_t number) const { return events_[number % most]; }

 private:
  static constexpr std::uint32_t most = 1 << 16;
  std::vector<sync_event> events_;
  std::uint32_t end_ = 0;
};

}  // namespace simt
