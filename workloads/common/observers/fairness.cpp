#include "fairness.hpp"

#include <algorithm>
#include <vector>

namespace finesync::workload {

fairness fairness_of(std::span<const std::uint64_t> counts) {
  if (counts.empty()) return {};
  std::vector<std::uint64_t> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end());
  // With x_1 <= ... <= x_n: sum (2 i - n - 1) x_i / (n sum x_i).
  const double n = static_cast<double>(sorted.size());
  double weighted = 0;
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double x = static_cast<double>(sorted[i]);
    weighted += (2 * static_cast<double>(i + 1) - n - 1) * x;
    sum += x;
  }
  return {.min = sorted.front(), .max = sorted.back(), .gini = sum > 0 ? weighted / (n * sum) : 0};
}

void report(const fairness& shares, const std::string& what, std::map<std::string, double>& seen) {
  seen[what + "_min"] = static_cast<double>(shares.min);
  seen[what + "_max"] = static_cast<double>(shares.max);
  seen[what + "_gini"] = shares.gini;
}

}  // namespace finesync::workload
