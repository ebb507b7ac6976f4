// SPDX-License-Identifier: Apache-2.0
// How a counter barrier distributes its arrivals and polls.
#pragma once

#include "finesync/version.hpp"

#include <algorithm>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// How blocks learn of the last arrival.
enum class counter_topology : std::uint8_t {
  flat_counters,     ///< all blocks add to all copies of a counter, and poll one copy of each
  sm_counters,       ///< the last block to arrive on an SM arrives for the SM
  gather_broadcast,  ///< one block polls the counters and releases the others through release lines
};

/// counter_barrier.cuh explains the numbers.
struct counter_plan {
  counter_topology how = counter_topology::flat_counters;
  unsigned counters = 1;    ///< counters for the arrivals, 1 to 32
  unsigned replicas = 1;    ///< copies of each polled line per side of the L2, 1 to 16
  unsigned sides = 2;       ///< sides of the L2 with copies, 1 or 2
  unsigned first_poll = 0;  ///< SM cycles between the arrival and the first poll

  /// Each copy needs a lane that adds, and each counter a lane that polls. Reduces the plan to the
  /// lanes of a small block. \param gpus each of them has all copies.
  counter_plan cut_to(unsigned threads_per_block, unsigned gpus = 1) const {
    const unsigned lanes = std::min(threads_per_block, 32u);
    counter_plan fitting = *this;
    fitting.counters = std::clamp(how == counter_topology::sm_counters ? 1u : counters, 1u, lanes);
    const unsigned copies = std::max(lanes / gpus, 1u);
    fitting.sides = std::clamp(sides, 1u, std::min(copies, 2u));
    fitting.replicas = std::clamp(replicas, 1u, std::min(copies / fitting.sides, 16u));
    return fitting;
  }
};

}  // namespace finesync::inline FINESYNC_ABI
