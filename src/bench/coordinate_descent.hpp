// Coordinate descent over some axes of a point, one axis at a time.
#pragma once

#include <bench/axis.hpp>
#include <bench/point.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace finesync::bench {

/// Where a descent ended.
struct descent_result {
  point best;             ///< the start when nothing has a cost
  bool has_cost = false;  ///< whether `best` has one
  std::size_t tried = 0;  ///< points whose cost was asked for
};

/// Moves from `start` along the `open` axes in turn, to the tuning value of least cost on each,
/// until a round over all axes changes nothing or three rounds are over. Of equal costs the first
/// one stands.
/// \param cost_of none for a point that cannot be chosen; asked once per point
descent_result coordinate_descent(
    const point& start, const std::vector<axis>& open,
    const std::function<std::optional<double>(const point&)>& cost_of);

}  // namespace finesync::bench
