// From the notes of a run's blocks to the times of its hand-offs. Plain C++.
#pragma once

#include <bench/experiment.hpp>

#include <cstdint>
#include <vector>

namespace finesync::hand_off {

/// Which blocks take part, by their places.
struct crowd {
  unsigned producers;  ///< places 0 to producers - 1
  unsigned first_consumer;
  unsigned consumers;
};

/// When a block did its part in a round, in nanoseconds of the GPU's clock, modulo 2^32.
struct times_of_round {
  std::uint32_t arrived;  ///< a producer: before its fence and arrival
  std::uint32_t waited;   ///< a consumer: after the wait of its whole block
  std::uint32_t had_read;
};

/// Means over the rounds, but for the first ones, of the times from the last producer's arrival:
/// last_waiter_ns, mean_waiter_ns and last_reader_ns. The GPU's clock has steps, which means over
/// rounds with different phases even out. \param times of each place all rounds.
/// \throws bench::failed_run if a wait ends before the last arrival, or long after it.
bench::counters waiting_times(const std::vector<times_of_round>& times, const crowd& who,
                              unsigned rounds);

}  // namespace finesync::hand_off
