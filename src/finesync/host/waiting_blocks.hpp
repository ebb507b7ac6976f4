// SPDX-License-Identifier: Apache-2.0
// Who waits for whom in a kernel that hangs, by what its late waits have posted
// (device/wait_post.cuh). Host side; needs no CUDA.
//
// A block that does not wait while the others do is the culprit: it never arrived, or it left with
// what they wait for. So no thread has to note that it arrives, or holds a lock. Where all blocks
// wait, what they said to hold (watchdog_ref::holding()) may show a cycle.
#pragma once

#include "finesync/device/awaited.hpp"
#include "finesync/host/awaited_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Words that processes can send each other; longer ones are cut.
struct few_words {
  char text[80] = {};

  few_words() = default;
  few_words(const std::string& from) { from.copy(text, sizeof(text) - 1); }
  bool empty() const { return text[0] == '\0'; }
  bool operator==(const few_words&) const = default;
};

/// One late wait of a block.
struct late_wait {
  unsigned block;   ///< its block_rank()
  unsigned thread;  ///< its thread_rank()
  awaited what;
  std::optional<std::uint32_t> which = {};  ///< index of the lock, the event, the server, ...
  std::optional<std::uint32_t> holds = {};  ///< index of an object that the thread holds
  std::uint64_t seen = 0;                   ///< with `wanted`; both 0 if unknown
  std::uint64_t wanted = 0;
  std::uint64_t waited_ns = 0;
  few_words object = {};  ///< "event 0 of 'scale'"; empty if its owner is unknown
  few_words state = {};   ///< with `object`: "holds round 3, round 1 is awaited"
};

/// The blocks of a grid.
struct waiting_blocks {
  unsigned blocks = 0;  ///< of the grid; 0: none waits, or there are too many to tell apart
  std::vector<late_wait> waits;  ///< one per block at most, by block

  /// The blocks that wait for nothing: busy elsewhere, or gone.
  std::vector<unsigned> silent() const {
    std::vector<unsigned> found;
    auto next = waits.begin();
    for (unsigned block = 0; block < blocks; ++block) {
      if (next != waits.end() && next->block == block)
        ++next;
      else
        found.push_back(block);
    }
    return found;
  }

  /// The wait of the block that says to hold what `wait` is for; null if there is none.
  const late_wait* holder_for(const late_wait& wait) const {
    const auto found = std::find_if(waits.begin(), waits.end(), [&](const late_wait& other) {
      return wait.which && other.holds == wait.which && other.block != wait.block;
    });
    return found == waits.end() ? nullptr : &*found;
  }

  /// Waits in a circle: each for what the next block holds, and the last for what the first holds;
  /// empty if there is no such cycle.
  std::vector<late_wait> cycle() const {
    for (const late_wait& first : waits) {
      std::vector<late_wait> way;
      for (const late_wait* at = &first; at != nullptr && way.size() < waits.size();
           at = holder_for(*at)) {
        way.push_back(*at);
        const late_wait* const next = holder_for(*at);
        if (next != nullptr && next->block == first.block) return way;
      }
    }
    return {};
  }

  /// The blocks to blame: those of a cycle, else the silent ones.
  std::vector<unsigned> culprits() const {
    std::vector<unsigned> found;
    for (const late_wait& wait : cycle()) found.push_back(wait.block);
    return found.empty() ? silent() : found;
  }
};

namespace detail {

/// "block 3", "blocks 3, 17 and 40", "blocks 3, 17, 40 and 9 more".
inline std::string names_of(const std::vector<unsigned>& blocks) {
  constexpr std::size_t longest = 8;
  const std::size_t named = blocks.size() <= longest ? blocks.size() : longest - 1;
  std::string text = blocks.size() == 1 ? "block " : "blocks ";
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text.append(i + 1 == blocks.size() ? " and " : ", ");
    text.append(std::to_string(blocks[i]));
  }
  if (named < blocks.size())
    text.append(" and ").append(std::to_string(blocks.size() - named)).append(" more");
  return text;
}

/// What those who do not wait have done to those who wait for `what`.
inline std::string guilt_of(awaited what, bool one) {
  switch (what) {
    case awaited::blocks:
    case awaited::blocks_of_sm:
    case awaited::gpus:
    case awaited::event:
    case awaited::token:
    case awaited::empty_channel:
      return "never arrived";
    case awaited::lock:
      return one ? "holds it or left with it" : "hold it or left with it";
    case awaited::permits:
      return one ? "holds permits or left with them" : "hold permits or left with them";
    case awaited::queue_item:
      return "never pushed";
    case awaited::queue_space:
      return "never popped";
    case awaited::ring:
    case awaited::requests:
    case awaited::reply:
      return one ? "does not answer" : "do not answer";
    default:
      return one ? "waits for nothing" : "wait for nothing";
  }
}

/// The waits for one object.
struct waits_for_object {
  late_wait first;
  std::vector<unsigned> blocks;
};

/// By their number.
inline std::vector<waits_for_object> by_object(const std::vector<late_wait>& waits) {
  std::vector<waits_for_object> found;
  for (const late_wait& wait : waits) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const waits_for_object& other) {
      return other.first.what == wait.what && other.first.which == wait.which &&
             other.first.object == wait.object;
    });
    if (same == found.end())
      found.push_back({wait, {wait.block}});
    else
      same->blocks.push_back(wait.block);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.blocks.size() > b.blocks.size(); });
  return found;
}

inline std::string awaited_text(const late_wait& wait) {
  if (wait.object.empty()) return name_of(wait.what, wait.which);
  if (wait.what == awaited::queue_space) return std::string("space in ") + wait.object.text;
  if (wait.what == awaited::queue_item) return std::string("an item of ") + wait.object.text;
  return wait.object.text;
}

/// "130 blocks wait for lock 5 (seen 3, wanted 4)"; with the holder, if one is known.
inline std::string text_of(const waits_for_object& group, const waiting_blocks& all) {
  constexpr std::size_t few = 3;
  const std::size_t number = group.blocks.size();
  std::string text =
      number <= few ? names_of(group.blocks) : std::to_string(number).append(" blocks");
  text.append(number == 1 ? " waits for " : " wait for ");
  text.append(awaited_text(group.first));
  if (!group.first.state.empty()) {
    text.append(", which ").append(group.first.state.text);
  } else if (group.first.seen != 0 || group.first.wanted != 0) {
    text.append(" (seen ").append(std::to_string(group.first.seen)).append(", wanted ");
    text.append(std::to_string(group.first.wanted)).append(")");
  }
  if (const late_wait* const holder = all.holder_for(group.first))
    text.append(", which block ").append(std::to_string(holder->block)).append(" holds");
  return text;
}

}  // namespace detail

/// "130 blocks wait for the other blocks; blocks 3 and 17 never arrived", "block 3 waits for lock
/// 5, which block 17 holds; block 17 waits for lock 6, which block 3 holds: a cycle". Empty if no
/// block waits.
inline std::string to_string(const waiting_blocks& all) {
  constexpr std::size_t most_objects = 6;
  const std::vector<late_wait> cycle = all.cycle();
  const auto groups = detail::by_object(cycle.empty() ? all.waits : cycle);
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), most_objects); ++i)
    text.append(i == 0 ? "" : "; ").append(detail::text_of(groups[i], all));
  if (groups.size() > most_objects) {
    const std::size_t more = groups.size() - most_objects;
    text.append("; and blocks wait for ").append(std::to_string(more)).append(" objects more");
  }
  if (!cycle.empty()) return text.append(": a cycle");
  const std::vector<unsigned> silent = all.silent();
  if (silent.empty() || groups.empty()) return text;
  text.append("; ").append(detail::names_of(silent)).append(" ");
  return text.append(detail::guilt_of(groups[0].first.what, silent.size() == 1));
}

}  // namespace finesync::inline FINESYNC_ABI
