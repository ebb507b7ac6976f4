#include <workloads/common/inputs/input_axis.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

namespace finesync::workload {
namespace {

/// Records an input. \returns its axis value.
std::string know(input_axis& known, const named_input& asked) {
  const auto found = std::ranges::find(known.inputs, asked.input);
  if (found != known.inputs.end())
    return known.values[static_cast<std::size_t>(found - known.inputs.begin())];
  std::string value = asked.value;
  for (unsigned number = 2; std::ranges::count(known.values, value) != 0; ++number)
    value = asked.value + "-" + std::to_string(number);
  known.values.push_back(value);
  known.inputs.push_back(asked.input);
  return value;
}

/// The axis values of a list of inputs, which it records.
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

std::vector<char*> input_axis::argument_pointers() {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return pointers;
}

meaning_of_inputs one_each(std::function<bool(const std::string&)> is_generated) {
  return [is_generated = std::move(is_generated)](const std::vector<std::string>& words) {
    std::vector<named_input> named;
    for (const std::string& word : words)
      named.push_back({is_generated(word) ? value_for(word) : value_for_file(word), word});
    return named;
  };
}

input_axis make_input_axis(int argc, char** argv, const std::vector<std::string>& generators,
                           const meaning_of_inputs& meaning, const std::string& option) {
  input_axis asked{generators, generators, {}};
  const std::string joined = option + "=";
  bool list_follows = false;
  for (const std::string_view word : std::span(argv, static_cast<std::size_t>(argc))) {
    if (list_follows) {
      asked.arguments.push_back(values_for(word, meaning, asked));
    } else if (word.starts_with(joined)) {
      asked.arguments.push_back(joined + values_for(word.substr(joined.size()), meaning, asked));
    } else {
      asked.arguments.emplace_back(word);
    }
    list_follows = word == option;
  }
  return asked;
}

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

std::string value_for_file(const std::string& file) {
  return value_for(std::filesystem::path(file).stem().string());
}

}  // namespace finesync::workload
