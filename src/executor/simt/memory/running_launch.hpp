// SPDX-License-Identifier: Apache-2.0
// What all objects of a launch work on: its threads, its memory, and the check of both.
#pragma once

#include <simt/memory/launch_progress.hpp>
#include <simt/memory/memory_mode.hpp>
#include <simt/races/race_detector.hpp>
#include <simt/random.hpp>
#include <simt/threads/resident_blocks.hpp>
#include <simt/threads/thread_turns.hpp>

#include <memory>
#include <span>
#include <stdexcept>

namespace simt {

struct running_launch {
  /// \throws std::invalid_argument if it cannot run with these settings.
  running_launch(const settings& s, const grid_shape& grid, std::span<const grid_on_gpu> grids,
                 stack_pool& stacks)
      : how(s),
        random(s.seed),
        resident(how, grid, grids, random),
        turns(how, resident, looks_for_races() ? race_detector::stack_bytes : 0, stacks),
        memory(make_memory(how, resident.first_async, grid.cluster_blocks(), resident.layout,
                           resident.blocks)),
        races(looks_for_races() ? std::make_unique<race_detector>(
                                      resident.threads, resident.shared_memory(), resident.layout)
                                : nullptr),
        progress(*memory, turns, resident) {
    if (races && how.memory != memory_kind::strong)
      throw std::invalid_argument("race checks require strong memory");
  }
  bool looks_for_races() const { return how.check == checking::races; }

  const settings how;
  random_source random;
  resident_blocks resident;
  thread_turns turns;
  const std::unique_ptr<memory_mode> memory;
  const std::unique_ptr<race_detector> races;  ///< null unless races are checked
  launch_progress progress;
};

}  // namespace simt
