// SPDX-License-Identifier: Apache-2.0
// Searches of the log of synchronization. Whatever their order and scope, a read follows the write
// that it sees, and all at a barrier follow each other. What still leads from one access to another
// lacks strength; if nothing does, something has not been waited for.
#pragma once

#include <simt/races/sync_log.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace simt {

/// Accesses that are no synchronization, though they are atomic: those to data.
struct uncounted_accesses {
  const void* word = nullptr;
  const void* site = nullptr;

  bool has(const sync_event& event) const {
    const auto bits = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
    return word != nullptr && (event.site == site || (bits(event.where) ^ bits(word)) < 4);
  }
};

/// What follows an access of a thread.
class sync_followers {
 public:
  /// A thread has come to follow it by an event; or it has handed that on by one.
  struct step {
    std::uint32_t thread = 0;
    std::uint32_t event = 0;
    std::optional<std::size_t> before = {};  ///< the step that led here
  };

  /// \param first of the events after the access. \param end of those that are looked at
  sync_followers(const sync_log& log, std::uint32_t thread, std::uint32_t first, std::uint32_t end,
                 const uncounted_accesses& data);

  bool has(std::uint32_t thread) const { return threads_.contains(thread); }
  const std::map<std::uint32_t, std::size_t>& threads() const { return threads_; }
  /// By the word: the first write of one that follows.
  const std::map<const void*, std::size_t>& words() const { return words_; }
  const step& at(std::size_t which) const { return steps_[which]; }
  /// From the access to the thread, which follows, with the last events that lead there.
  std::vector<step> path_to(std::uint32_t thread) const;

 private:
  std::size_t add(const step& made) { return steps_.push_back(made), steps_.size() - 1; }

  std::vector<step> steps_;
  std::map<std::uint32_t, std::size_t> threads_;
  std::map<const void*, std::size_t> words_;
};

/// What an access of a thread follows.
class sync_leaders {
 public:
  /// \param end of the events before the access
  sync_leaders(const sync_log& log, std::uint32_t thread, std::uint32_t end,
               const uncounted_accesses& data);

  /// By thread: its last write of a word that leads there.
  const std::map<std::uint32_t, std::uint32_t>& writes() const { return writes_; }
  /// By the word: the last read of it that leads there.
  const std::map<const void*, std::uint32_t>& reads() const { return reads_; }

 private:
  std::map<std::uint32_t, std::uint32_t> writes_;
  std::map<const void*, std::uint32_t> reads_;
};

}  // namespace simt
