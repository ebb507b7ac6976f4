// Inputs as the values of an axis. An axis is declared with the names of its values; but any file
// may be an input, and any part of a generated one.
#pragma once

#include <string>
#include <vector>

namespace finesync::sgd {

/// The inputs that a command line can name and names.
struct asked_inputs {
  std::vector<std::string> values;     ///< for the axis: "netflix-like", "netflix-like-100"
  std::vector<std::string> inputs;     ///< for load_ratings(): "netflix-like", "netflix-like/100"
  std::vector<std::string> arguments;  ///< the command line with those values
};

/// The known generators, then what follows `--input` or `--input=`, commas between. The value of
/// another name has its last part without the ending, in lower case, and dashes for what else
/// values must not have.
asked_inputs inputs_asked_for(int argc, char** argv);

}  // namespace finesync::sgd
