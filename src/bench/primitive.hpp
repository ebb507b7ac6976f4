// What a program offers for its experiments: the primitives that make them.
#pragma once

#include <bench/experiment.hpp>
#include <bench/point.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace finesync::bench {

/// One primitive. `make` throws infeasible, or lets finesync::launch_error pass, when the point
/// cannot exist on this machine.
struct primitive {
  std::string name;
  std::string help;  ///< one line
  std::function<std::unique_ptr<experiment>(const point&)> make;
  /// Axes that --tune chooses for it, in this order, before the others of its own: those of them
  /// that it has, each with candidates.
  std::vector<std::string> tunable = {};
  parameters inputs = {};  ///< where these come from (file, seed, generator)
  /// Axes of its own: an axis that a primitive names here is missing from those that do not. Those
  /// with candidates are tunable.
  std::vector<std::string> axes = {};
  std::vector<std::string> aliases = {};  ///< its names in the version before
};

}  // namespace finesync::bench
