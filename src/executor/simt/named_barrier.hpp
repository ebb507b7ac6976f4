// SPDX-License-Identifier: Apache-2.0
// The numbered barriers of a block (PTX ISA, "barrier"): some threads wait at them, others only
// arrive.
#pragma once

#include <simt/races/happens_before.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace simt {

inline constexpr std::uint32_t named_barriers = 16;  ///< per block

struct named_barrier_state {
  std::uint32_t expected = 0;  ///< threads, as named by the first to arrive
  std::uint32_t arrived = 0;
  std::vector<std::uint32_t> waiting;        ///< slots of the threads
  std::unique_ptr<release_clock> handed_on;  ///< by all arrivals; only with race checks
};

}  // namespace simt
