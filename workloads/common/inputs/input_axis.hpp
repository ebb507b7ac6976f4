// Inputs as the values of an axis. An axis is declared with the names of its values; inputs may be
// any files.
#pragma once

#include <bench/primitive.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace finesync::workload {

/// An input's name in results, its name for the loader, and what results say of its source.
struct named_input {
  std::string value;  ///< "netflix-like-100", "human-orang-3f2a91bc"
  std::string input;  ///< "netflix-like/100", "human.fa,orang.fa"
  bench::parameters source;
};

/// The inputs that a program knows or its command line names.
struct input_axis {
  std::vector<std::string> values;         ///< for the axis
  std::vector<std::string> inputs;         ///< names for the loader, one for each value
  std::vector<bench::parameters> sources;  ///< one for each value
  std::vector<std::string> command_line;   ///< as given
  std::vector<std::string> words;          ///< the command line with the values
};

/// The source of a point's input, by its axis `input`. \param more what is the same for all.
inline bench::source_of_inputs sources_of(const input_axis& asked,
                                          const bench::parameters& more = {}) {
  return [sources = asked.sources, more](const bench::point& point) {
    bench::parameters source = sources[static_cast<std::size_t>(point["input"])];
    source.insert(more.begin(), more.end());
    return source;
  };
}

/// Inputs for the comma-separated words after `--input`; no word is empty.
using meaning_of_inputs = std::function<std::vector<named_input>(const std::vector<std::string>&)>;

/// One input per word: a generator's output, or a file.
meaning_of_inputs one_each(std::function<bool(const std::string&)> is_generated);

/// Generators for make_input_axis(), whose first is the default: on the host executor `small`, the
/// same with a size for it ("rmat/10").
std::vector<std::string> with_small_default(std::vector<std::string> generators,
                                            const std::string& small);

/// The generators, then what follows `--input` or `--input=`, or another option. If two inputs have
/// the same value, the second gets a number as suffix. A list with an empty word is left for the
/// harness to reject.
input_axis make_input_axis(int argc, char** argv, const std::vector<std::string>& generators,
                           const meaning_of_inputs& meaning, const std::string& option = "--input");

/// A generator's output. Its value is its name in lower case, other characters replaced by dashes.
named_input generated_input(const std::string& name, std::uint32_t seed);

/// What `make` makes. \throws bench::unusable_input if that cannot read its input.
std::unique_ptr<bench::experiment> with_readable_input(
    const std::function<std::unique_ptr<bench::experiment>()>& make);

/// One word of a command line that names a file, or a part of it.
struct file_word {
  std::string word;
  std::string file;
};

/// The contents of one or two files. The value has their names without folder and extension, and a
/// tag of the words and contents: rows of different files never share a name, whichever run they
/// are from, and those of the same file do.
named_input input_in_files(const std::vector<file_word>& words);

}  // namespace finesync::workload
