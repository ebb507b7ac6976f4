// The --tune mode: which axes of a requested point are open, and choosing their values.
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

/// A requested point, of which --tune may still have to choose some axes.
struct untuned_point {
  point start;                  ///< the point itself where no axis is open
  std::vector<axis> open = {};  ///< in the order in which they are tuned

  /// As point::name(), without the axes that are open.
  std::string name(std::string_view program) const;
};

/// Every combination of the primitives with the values of the axes that are not open for them.
/// Without --tune no axis is open; with it, a primitive's tunable axes that the user did not give.
std::vector<untuned_point> untuned_points(const declaration& declared, const sweep_request& asked);

/// Tells of each requested point in a line on stderr.
/// \returns per requested point the chosen one, after the candidates that failed while it was
/// tuned; after an interruption, points that are not tuned and that the runner will refuse
std::vector<point_record> tune(const std::string& program,
                               const std::vector<untuned_point>& requested, runner& runs,
                               const stop_signal& stop);

}  // namespace finesync::bench
