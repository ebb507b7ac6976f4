// SPDX-License-Identifier: Apache-2.0
// The --tune mode: which axes of a requested point are open, and the choice of their values.
#pragma once

#include <bench/command_line.hpp>
#include <bench/point.hpp>
#include <bench/rows.hpp>
#include <bench/runner.hpp>
#include <bench/stop_signal.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// A requested point; --tune may still choose some of its axes.
struct untuned_point {
  point start;                  ///< the point itself if no axis is open
  std::vector<axis> open = {};  ///< in tuning order

  /// Like point::name(), without the open axes.
  std::string name(std::string_view program) const;
};

/// Every combination of the primitives with the values of their axes that are not open. Without
/// --tune no axis is open; with it, a primitive's tunable axes that the user did not give.
std::vector<untuned_point> untuned_points(const declaration& declared, const sweep_request& asked);

/// Reports each requested point in a line on stderr.
/// \returns per requested point the chosen one, after the candidates that failed during tuning;
/// after an interruption, untuned points that the runner will refuse
std::vector<point_record> tune(const std::string& program,
                               const std::vector<untuned_point>& requested, runner& runs,
                               const stop_signal& stop);

}  // namespace finesync::bench
