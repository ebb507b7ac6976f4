// Inputs as the values of an axis. An axis is declared with the names of its values; but any files
// may be an input.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace finesync::workload {

/// An input as it stands in results, and as whoever loads it wants it.
struct named_input {
  std::string value;  ///< "netflix-like-100", "human-orang"
  std::string input;  ///< "netflix-like/100", "human.fa,orang.fa"
};

/// The inputs that a command line can name and names.
struct input_axis {
  std::vector<std::string> values;     ///< for the axis
  std::vector<std::string> inputs;     ///< to be loaded, one for each value
  std::vector<std::string> arguments;  ///< the command line with those values

  /// The command line as main() is given one.
  std::vector<char*> argument_pointers();
};

/// What the words mean that follow `--input`, commas between; none of them is empty.
using meaning_of_inputs = std::function<std::vector<named_input>(const std::vector<std::string>&)>;

/// Every word is an input: what a generator of that name makes, or a file.
meaning_of_inputs one_each(std::function<bool(const std::string&)> is_generated);

/// The generators, then whatever else follows `--input` or `--input=`. A value that two inputs
/// would have has a number behind it for the second. A list with an empty word stays as it is, for
/// the harness to refuse.
input_axis make_input_axis(int argc, char** argv, const std::vector<std::string>& generators,
                           const meaning_of_inputs& meaning);

/// A name as the value of an axis: in lower case, with dashes for what values must not have.
std::string value_for(const std::string& name);
/// The same of a file, by its name without folder and ending.
std::string value_for_file(const std::string& file);

}  // namespace finesync::workload
