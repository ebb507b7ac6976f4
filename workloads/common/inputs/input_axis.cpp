#include <bench/kernel_timer.hpp>
#include <inputs/input_error.hpp>
#include <inputs/load_options.hpp>
#include <inputs/mapped_file.hpp>
#include <workloads/common/inputs/input_axis.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <ranges>
#include <string_view>
#include <utility>

namespace finesync::workload {
namespace {

// A name as the value of an axis: in lower case, other characters replaced by dashes.
std::string value_for(const std::string& name) {
  std::string value = name;
  for (char& c : value) {
    const auto letter = static_cast<unsigned char>(c);
    c = std::isalnum(letter) != 0 && letter < 128 ? static_cast<char>(std::tolower(letter)) : '-';
  }
  if (value.empty() || std::isalpha(static_cast<unsigned char>(value.front())) == 0)
    value = "input-" + value;
  return value;
}

// FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo).
std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// In hexadecimal; empty for what cannot be read, which the loader will say.
std::string hash_of_file(const std::string& file) {
  try {
    return fmt::format("{:016x}", fnv1a(inputs::mapped_file(file).bytes()));
  } catch (const inputs::input_error&) {
    return "";
  }
}

// Records an input and returns its axis value.
std::string know(input_axis& known, const named_input& asked) {
  const auto found = std::ranges::find(known.inputs, asked.input);
  if (found != known.inputs.end())
    return known.values[static_cast<std::size_t>(found - known.inputs.begin())];
  std::string value = asked.value;
  for (unsigned number = 2; std::ranges::count(known.values, value) != 0; ++number)
    value = asked.value + "-" + std::to_string(number);
  known.values.push_back(value);
  known.inputs.push_back(asked.input);
  known.sources.push_back(asked.source);
  return value;
}

// The axis values of a list of inputs, which it records.
std::string values_for(std::string_view list, const meaning_of_inputs& meaning, input_axis& known) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(list, ',')) {
    words.emplace_back(part.begin(), part.end());
    if (words.back().empty()) return std::string(list);
  }
  std::string values;
  for (const named_input& asked : meaning(words)) {
    if (!values.empty()) values += ',';
    values += know(known, asked);
  }
  return values;
}

}  // namespace

meaning_of_inputs one_each(std::function<bool(const std::string&)> is_generated) {
  return [is_generated = std::move(is_generated)](const std::vector<std::string>& words) {
    std::vector<named_input> named;
    for (const std::string& word : words)
      named.push_back(is_generated(word) ? generated_input(word, inputs::load_options{}.seed)
                                         : input_in_files({{word, word}}));
    return named;
  };
}

std::vector<std::string> with_small_default(std::vector<std::string> generators,
                                            const std::string& small) {
  if (!bench::runs_on_gpu()) generators.insert(generators.begin(), small);
  return generators;
}

input_axis make_input_axis(int argc, char** argv, const std::vector<std::string>& generators,
                           const meaning_of_inputs& meaning, const std::string& option) {
  input_axis asked;
  for (const named_input& each : meaning(generators)) know(asked, each);
  asked.command_line.assign(argv, argv + argc);
  const std::string joined = option + "=";
  bool list_follows = false;
  for (const std::string_view word : asked.command_line) {
    if (list_follows) {
      asked.words.push_back(values_for(word, meaning, asked));
    } else if (word.starts_with(joined)) {
      asked.words.push_back(joined + values_for(word.substr(joined.size()), meaning, asked));
    } else {
      asked.words.emplace_back(word);
    }
    list_follows = word == option;
  }
  return asked;
}

named_input generated_input(const std::string& name, std::uint32_t seed) {
  return {value_for(name), name, {{"generator", name}, {"seed", static_cast<long long>(seed)}}};
}

std::unique_ptr<bench::experiment> with_readable_input(
    const std::function<std::unique_ptr<bench::experiment>()>& make) {
  try {
    return make();
  } catch (const inputs::input_error& why) {
    throw bench::unusable_input(why.what());
  }
}

named_input input_in_files(const std::vector<file_word>& words) {
  named_input named;
  std::string stems;
  std::string all;  // that the tag is of
  for (const auto& [word, file] : words) {
    const std::string hash = hash_of_file(file);
    const std::string number = named.input.empty() ? "" : "second_";
    named.source[number + "file"] = word;
    if (!hash.empty()) named.source[number + "file_fnv1a64"] = hash;
    named.input += (named.input.empty() ? "" : ",") + word;
    stems += std::filesystem::path(word).stem().string() + "-";
    all += std::filesystem::path(word).lexically_normal().string() + '\n' + hash + '\n';
  }
  named.value = value_for(fmt::format("{}{:08x}", stems, fnv1a(all) >> 32));
  return named;
}

}  // namespace finesync::workload
