// How evenly a synchronization object was shared.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace finesync::workload {

/// Statistics of one count per participant.
struct fairness {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  /// Gini coefficient: 0 if all counts are equal, 1 - 1/n if one of n participants has everything.
  double gini = 0;
};

/// All zero if there are no counts; the coefficient is 0 if all counts are 0.
fairness fairness_of(std::span<const std::uint64_t> counts);

/// Adds `<what>_min`, `<what>_max` and `<what>_gini` to the counters of a row.
void report(const fairness& shares, const std::string& what, std::map<std::string, double>& seen);

}  // namespace finesync::workload
