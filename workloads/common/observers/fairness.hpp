// How evenly a synchronization object was shared out.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace finesync::workload {

/// Of one count per participant.
struct fairness {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  /// Gini coefficient: 0 when all have the same, 1 - 1/n when one of n has everything.
  double gini = 0;
};

/// All zero for no counts; the coefficient of nothing but zeros is 0.
fairness fairness_of(std::span<const std::uint64_t> counts);

/// Adds `<what>_min`, `<what>_max` and `<what>_gini` to the counters of a row.
void report(const fairness& shares, const std::string& what, std::map<std::string, double>& seen);

}  // namespace finesync::workload
