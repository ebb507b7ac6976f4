// SPDX-License-Identifier: Apache-2.0
// Which locks a thread held when, for reports of races.
#pragma once

#include <simt/races/vector_clock.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace simt {

/// Of one thread. It remembers the last steps alone, and so takes little memory in long runs.
class held_locks {
 public:
  static constexpr std::size_t most_steps = 512;

  /// From `since` on the thread holds a lock, or does not any more. \param lock null: all.
  void note(const void* lock, epoch since, bool held) {
    if (steps_.size() == most_steps) {
      const std::size_t half = most_steps / 2;
      apply(std::span(steps_).first(half), held_before_);
      known_since_ = steps_[half].since;
      steps_.erase(steps_.begin(), steps_.begin() + half);
    }
    steps_.push_back({lock, since, held});
  }

  /// The locks, in the order in which they were taken; nothing if that is forgotten.
  std::optional<std::vector<const void*>> at(epoch time) const {
    if (time < known_since_) return {};
    const auto later = std::ranges::find_if(steps_, [&](const step& s) { return s.since > time; });
    std::vector<const void*> held = held_before_;
    apply({steps_.begin(), later}, held);
    return held;
  }

 private:
  struct step {
    const void* lock;
    epoch since;
    bool held;
  };

  static void apply(std::span<const step> steps, std::vector<const void*>& held) {
    for (const step& s : steps) {
      if (s.held)
        held.push_back(s.lock);
      else
        std::erase_if(held, [&](auto* each) { return s.lock == nullptr || each == s.lock; });
    }
  }

  std::vector<const void*> held_before_;  ///< before the first of the steps
  epoch known_since_ = 0;
  std::vector<step> steps_;
};

}  // namespace simt
