// SPDX-License-Identifier: Apache-2.0
// Turns the arguments that are not Google Benchmark's into a sweep; writes the help.
#pragma once

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
};

/// A user's request.
struct sweep_request {
  std::vector<std::string> primitives;  ///< in the requested order
  std::vector<axis> axes;               ///< as declared, with the values to sweep
  std::vector<std::string> held;        ///< axes with values from the user; never tuned
  bool tune = false;
  /// One per machine option, in their order; empty if not given.
  std::vector<std::string> machine_settings;
};

/// The axes of a primitive among `axes`: the common ones and its own.
std::vector<axis> axes_of(const declaration& declared, const primitive& which,
                          const std::vector<axis>& axes);

/// The names of the axes that --tune chooses for a primitive, in this order.
std::vector<std::string> tunable_axes(const declaration& declared, const primitive& which);

/// Checks that every primitive's axes exist, and that its tunable ones are named once and have
/// candidates. \throws std::invalid_argument, as the mistake is the workload's and not the user's.
void check_axes_of_primitives(const declaration& declared);

/// Reads `arguments` (without the program's name).
/// \throws usage_error with one line for any mistake, such as an axis that no requested primitive
/// has.
sweep_request parse_request(const declaration& declared, const std::vector<machine_option>& machine,
                            const std::vector<std::string>& arguments);

enum class help_of {
  usual,  ///< what fits on a screen: not the primitives that are aside, and not what tunes or
          ///< reports
  all,
};
std::string help_text(const declaration& declared, const std::vector<machine_option>& machine,
                      help_of what);

}  // namespace finesync::bench
