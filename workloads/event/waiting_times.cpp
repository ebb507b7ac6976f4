#include "waiting_times.hpp"

#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace finesync::hand_off {

bench::counters waiting_times(const std::vector<times_of_round>& times, const crowd& who,
                              unsigned rounds) {
  constexpr unsigned warm_up = 20;
  constexpr std::int32_t clock_step = 2'000;  // of the GPU's clock, as SMs see it
  constexpr std::int32_t longest_round = 100'000'000;
  double last_waiter = 0;
  double mean_waiter = 0;
  double last_reader = 0;
  for (unsigned round = warm_up; round < rounds; ++round) {
    const auto at = [&](unsigned place) -> const times_of_round& {
      return times[std::size_t{place} * rounds + round];
    };
    // Relative to one block's, as the clock's low half may wrap around.
    const std::uint32_t zero = at(0).arrived;
    const auto since = [&](std::uint32_t time) { return static_cast<std::int32_t>(time - zero); };
    std::int32_t arrived = 0;
    for (unsigned i = 0; i < who.producers; ++i) arrived = std::max(arrived, since(at(i).arrived));
    std::int32_t waited = std::numeric_limits<std::int32_t>::min();
    std::int32_t had_read = waited;
    double sum = 0;
    for (unsigned i = who.first_consumer; i < who.first_consumer + who.consumers; ++i) {
      waited = std::max(waited, since(at(i).waited));
      had_read = std::max(had_read, since(at(i).had_read));
      sum += since(at(i).waited);
    }
    workload::expect_plausible(arrived - clock_step <= waited && waited <= had_read + clock_step &&
                                   had_read - arrived < longest_round,
                               "in round " + std::to_string(round) + " the last wait ended " +
                                   std::to_string(waited - arrived) +
                                   " ns after the last arrival, and the last read after " +
                                   std::to_string(had_read - arrived));
    last_waiter += waited - arrived;
    last_reader += had_read - arrived;
    mean_waiter += sum / who.consumers - arrived;
  }
  const double counted = rounds - warm_up;
  return {{"last_waiter_ns", last_waiter / counted},
          {"mean_waiter_ns", mean_waiter / counted},
          {"last_reader_ns", last_reader / counted}};
}

}  // namespace finesync::hand_off
