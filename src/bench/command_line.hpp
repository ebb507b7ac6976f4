// From the arguments that are not Google Benchmark's to the sweep that they ask for; and the help.
#pragma once

#include <bench/aliases.hpp>
#include <bench/axis.hpp>
#include <bench/primitive.hpp>
#include <finesync/host/machine.cuh>

#include <string>
#include <vector>

namespace finesync::bench {

/// What a workload declares.
struct declaration {
  std::string name;         ///< of the program: "ht"
  std::string description;  ///< one paragraph
  std::vector<axis> axes = {};
  std::vector<primitive> primitives = {};
  bench::aliases aliases = {};
};

/// What a user asks for.
struct sweep_request {
  std::vector<std::string> primitives;  ///< in the order asked for
  std::vector<axis> axes;               ///< as declared, with the values to sweep
  std::vector<std::string> held;        ///< axes that the user gave values for; never tuned
  bool tune = false;
  /// One per machine option and in their order; empty where the user said nothing.
  std::vector<std::string> machine_settings;
};

/// Those of `axes` that a primitive has: the ones that are nobody's own, and its own.
std::vector<axis> axes_of(const declaration& declared, const primitive& which,
                          const std::vector<axis>& axes);

/// The names of the axes that --tune chooses for a primitive, in this order.
std::vector<std::string> tunable_axes(const declaration& declared, const primitive& which);

/// Checks that every primitive's axes exist, and that its tunable ones are named once and have
/// candidates. \throws std::invalid_argument, for it is the workload's mistake and not the user's.
void check_axes_of_primitives(const declaration& declared);

/// Reads `arguments` (without the program's name).
/// \throws usage_error with one line for whatever is wrong, an axis that none of the primitives
/// asked for has among it.
sweep_request parse_request(const declaration& declared, const std::vector<machine_option>& machine,
                            const std::vector<std::string>& arguments);

/// The text of --help.
std::string help_text(const declaration& declared, const std::vector<machine_option>& machine);

}  // namespace finesync::bench
