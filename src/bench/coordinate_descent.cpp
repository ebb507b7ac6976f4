// SPDX-License-Identifier: Apache-2.0
#include <bench/coordinate_descent.hpp>

#include <map>

namespace finesync::bench {

descent_result coordinate_descent(
    const point& start, const std::vector<axis>& open,
    const std::function<std::optional<double>(const point&)>& cost_of) {
  constexpr int max_rounds = 3;
  std::map<std::vector<setting>, std::optional<double>> known;
  const auto cost = [&](const point& where) {
    const auto [entry, is_new] = known.try_emplace(where.settings());
    if (is_new) entry->second = cost_of(where);
    return entry->second;
  };

  point best = start;
  std::optional<double> least = cost(start);
  bool changed = true;
  for (int round = 0; changed && round < max_rounds; ++round) {
    changed = false;
    for (const axis& each : open) {
      for (const long long value : tuning_values(each)) {
        const point candidate = best.with(each.name, value);
        const std::optional<double> its_cost = cost(candidate);
        if (!its_cost || (least && *its_cost >= *least)) continue;
        best = candidate;
        least = its_cost;
        changed = true;
      }
    }
  }
  return {best, least.has_value(), known.size()};
}

}  // namespace finesync::bench
