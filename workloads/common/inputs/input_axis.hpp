// Inputs as the values of an axis. An axis is declared with the names of its values; inputs may be
// any files.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace finesync::workload {

/// An input's name in results, and its name for the loader.
struct named_input {
  std::string value;  ///< "netflix-like-100", "human-orang"
  std::string input;  ///< "netflix-like/100", "human.fa,orang.fa"
};

/// The inputs that a program knows or its command line names.
struct input_axis {
  std::vector<std::string> values;     ///< for the axis
  std::vector<std::string> inputs;     ///< names for the loader, one for each value
  std::vector<std::string> arguments;  ///< the command line with those values

  /// The command line in the form that main() receives.
  std::vector<char*> argument_pointers();
};

/// Inputs for the comma-separated words after `--input`; no word is empty.
using meaning_of_inputs = std::function<std::vector<named_input>(const std::vector<std::string>&)>;

/// One input per word: a generator's output, or a file.
meaning_of_inputs one_each(std::function<bool(const std::string&)> is_generated);

/// The generators, then what follows `--input` or `--input=`, or another option. If two inputs have
/// the same value, the second gets a number as suffix. A list with an empty word is left for the
/// harness to reject.
input_axis make_input_axis(int argc, char** argv, const std::vector<std::string>& generators,
                           const meaning_of_inputs& meaning, const std::string& option = "--input");

/// A name as the value of an axis: in lower case, other characters replaced by dashes.
std::string value_for(const std::string& name);
/// The same for a file, from its name without folder and extension.
std::string value_for_file(const std::string& file);

}  // namespace finesync::workload
