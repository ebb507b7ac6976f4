// SPDX-License-Identifier: Apache-2.0
// Coordinate descent over some axes of a point.
#pragma once

#include <bench/axis.hpp>
#include <bench/point.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace finesync::bench {

struct descent_result {
  point best;             ///< the start if no point has a cost
  bool has_cost = false;  ///< whether `best` has one
  std::size_t tried = 0;  ///< points whose cost was requested
};

/// Moves from `start` along one `open` axis after another, to the tuning value of least cost on
/// each. It ends when a round over all axes changes nothing, or after three rounds. Among equal
/// costs the first one wins.
/// \param cost_of no value for a point that cannot be chosen; called once per point
descent_result coordinate_descent(
    const point& start, const std::vector<axis>& open,
    const std::function<std::optional<double>(const point&)>& cost_of);

}  // namespace finesync::bench
