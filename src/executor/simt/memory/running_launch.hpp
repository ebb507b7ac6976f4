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

namespace simt {

struct running_launch {
  /// \throws std::invalid_argument if it cannot run with these settings.
  running_launch(const settings& s, const grid_shape& grid, std::span<const grid_on_gpu> grids,
                 stack_pool& stacks);

  const settings how;
  random_source random;
  resident_blocks resident;
  thread_turns turns;
  const std::unique_ptr<memory_mode> memory;
  const std::unique_ptr<race_detector> races;  ///< null unless races are checked
  launch_progress progress;
};

}  // namespace simt
