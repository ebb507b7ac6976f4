// SPDX-License-Identifier: Apache-2.0
// The primitives of a program, which make its experiments.
#pragma once

#include <bench/experiment.hpp>
#include <bench/point.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace finesync::bench {

/// The source of a point's inputs: files, or generator and seed.
using source_of_inputs = std::function<parameters(const point&)>;

/// The same source for every point.
inline source_of_inputs always(parameters source) {
  return [source = std::move(source)](const point&) { return source; };
}

/// One primitive. If the point cannot exist on this machine, `make` throws infeasible,
/// finesync::launch_error, or std::invalid_argument, as the library does for settings that it does
/// not support; if its input cannot be read, unusable_input.
struct primitive {
  std::string name;
  std::string help;  ///< one line
  std::function<std::unique_ptr<experiment>(const point&)> make;
  /// Axes that --tune chooses for it, in this order, before its other own axes. It uses those that
  /// the primitive has; each needs candidates.
  std::vector<std::string> tunable = {};
  source_of_inputs inputs = {};  ///< empty for none
  /// Its own axes: primitives that do not name such an axis do not have it. Own axes with
  /// candidates are tunable.
  std::vector<std::string> axes = {};
  /// Of an incorrect one: why its results may be wrong, in a few words. Such rows are no failures.
  std::string may_be_wrong = {};
  /// One that repeats a paper, or a step towards another: only `--help all` has its line.
  bool aside = false;
};

}  // namespace finesync::bench
