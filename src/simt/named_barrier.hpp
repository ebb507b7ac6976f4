// The barriers that a block has by number (PTX ISA, "barrier"): some wait at them, others only
// come.
#pragma once

#include <simt/happens_before.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace simt {

inline constexpr std::uint32_t named_barriers = 16;  ///< of each block

struct named_barrier_state {
  std::uint32_t expected = 0;  ///< threads, as the first to come said
  std::uint32_t arrived = 0;
  std::vector<std::uint32_t> waiting;        ///< slots of the threads
  std::unique_ptr<release_clock> handed_on;  ///< by all who have come, where races are looked for
};

}  // namespace simt
