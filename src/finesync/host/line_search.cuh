// SPDX-License-Identifier: Apache-2.0
// A search by timing for the lines with which a primitive is fastest on the GPU in use.
//
// Which lines are fast depends on the slices of the L2 where they lie, on the SMs that use them,
// and on each other. No document says how. On an H200 counter barriers on any lines differ by 5 %
// with one thread block per SM, and by half with 16. The best time of the first poll depends on
// them.
#pragma once

#include "finesync/host/l2_lines.cuh"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

namespace finesync::inline FINESYNC_ABI {

/// What is searched for. \tparam Lines l2_lines, or what has such a selection.
template <class Lines = l2_lines>
struct line_choice {
  typename Lines::selection lines;
  unsigned first_poll = 0;  ///< SM cycles (counter_plan.cuh)
};

/// Tries all spread lines, then some drawn ones, and then changes the fastest step by step. A
/// change is kept if it is faster in a quick trial, and again in a longer one. \param lines
/// l2_lines, or what has its spread(), drawn(), changed() and count(). \param start the first poll
/// to begin with. \param vary_first_poll whether to change that, too. \param time callable: SM
/// cycles of `unsigned rounds` with a `const line_choice&`. They may contain noise, and are the
/// maximum value for trials that do not end; if the first does not, there is no other.
template <class Lines, class Time>
line_choice<Lines> fastest_lines(const Lines& lines, unsigned start, bool vary_first_poll,
                                 Time time) {
  constexpr unsigned draws = 16;
  constexpr unsigned changes = 300;
  constexpr unsigned quick = 50;
  constexpr unsigned longer = 500;
  constexpr std::uint64_t unbounded = ~std::uint64_t{0};

  std::mt19937 random;  // every search tries the same, as far as the timings agree
  const auto percent_of = [&](unsigned cycles, unsigned least, unsigned most) {
    return cycles * (least + static_cast<unsigned>(random() % (most - least + 1))) / 100;
  };
  line_choice<Lines> best{lines.spread(0), start};
  std::uint64_t least_quick = unbounded;
  std::uint64_t least_longer = unbounded;
  for (unsigned trial = 0; trial < l2_lines::choices + draws + changes; ++trial) {
    line_choice<Lines> next = best;
    if (trial < l2_lines::choices) {
      next = {lines.spread(trial), start};
    } else if (trial < l2_lines::choices + draws) {
      next = {lines.drawn(random), vary_first_poll ? percent_of(start, 60, 160) : start};
    } else if (vary_first_poll && random() % 3 == 0) {
      next.first_poll = percent_of(best.first_poll, 70, 140);
    } else {
      const auto half = std::max(lines.count() / 2, 1u);
      const auto others = random() % 2 == 0 ? 1 : 1 + static_cast<unsigned>(random() % half);
      next.lines = lines.changed(std::move(next.lines), others, random);
    }
    const std::uint64_t cycles = std::min(time(next, quick), time(next, quick));
    if (trial == 0 && cycles == unbounded) break;
    if (cycles >= least_quick) continue;
    const std::uint64_t again = time(next, longer);
    if (again >= least_longer) continue;
    least_quick = cycles;
    least_longer = again;
    best = std::move(next);
  }
  return best;
}

}  // namespace finesync::inline FINESYNC_ABI
