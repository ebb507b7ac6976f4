// How a counter barrier spreads its arrivals and its polls.
#pragma once

#include "finesync/version.hpp"

#include <algorithm>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The way that the news of the last arrival takes.
enum class counter_topology : std::uint8_t {
  flat_counters,     ///< all blocks add to all copies of a counter, and poll one copy of each
  sm_counters,       ///< the blocks of an SM meet first, and the last of them arrives for all
  gather_broadcast,  ///< one block polls the counters, and tells the others through release lines
};

/// See counter_barrier.cuh for what the numbers do.
struct counter_plan {
  counter_topology how = counter_topology::flat_counters;
  unsigned lines = 1;       ///< counters that the arrivals are spread over, 1 to 32
  unsigned replicas = 1;    ///< copies on each side of the L2 of what all blocks poll, 1 to 16
  unsigned sides = 2;       ///< sides of the L2 that have copies, 1 or 2
  unsigned first_poll = 0;  ///< SM cycles between the arrival and the first poll

  /// Adding is one lane's work per copy, and polling one lane's per counter: what a block is too
  /// small to serve is cut down.
  counter_plan cut_to(unsigned threads_per_block) const {
    const unsigned lanes = std::min(threads_per_block, 32u);
    counter_plan fitting = *this;
    fitting.lines = std::clamp(how == counter_topology::sm_counters ? 1u : lines, 1u, lanes);
    fitting.sides = std::clamp(sides, 1u, std::min(lanes, 2u));
    fitting.replicas = std::clamp(replicas, 1u, std::min(lanes / fitting.sides, 16u));
    return fitting;
  }
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
