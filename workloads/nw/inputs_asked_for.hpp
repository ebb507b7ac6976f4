// Inputs as the values of an axis. An axis is declared with the names of its values; but any two
// files may be an input.
#pragma once

#include <string>
#include <vector>

namespace finesync::nw {

/// The inputs that a command line can name and names.
struct asked_inputs {
  std::vector<std::string> values;     ///< for the axis: "rodinia", "human-orang"
  std::vector<std::string> inputs;     ///< for sequences_of(): "rodinia", "human.fa,orang.fa"
  std::vector<std::string> arguments;  ///< the command line with those values
};

/// What follows `--input` or `--input=`: `rodinia`, and files of which each two that follow each
/// other are one input, or the last alone where it has both sequences; commas between. The value of
/// files has their names without folder and ending, in lower case, and dashes for what else values
/// must not have.
asked_inputs inputs_asked_for(int argc, char** argv);

}  // namespace finesync::nw
