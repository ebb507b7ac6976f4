#include "inputs_asked_for.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ranges>
#include <span>
#include <string_view>

namespace finesync::nw {
namespace {

constexpr std::string_view generator = "rodinia";

std::string value_for(const std::string& file) {
  std::string value = std::filesystem::path(file).stem().string();
  for (char& c : value) {
    const auto letter = static_cast<unsigned char>(c);
    c = std::isalnum(letter) != 0 && letter < 128 ? static_cast<char>(std::tolower(letter)) : '-';
  }
  if (value.empty() || std::isalpha(static_cast<unsigned char>(value.front())) == 0)
    value = "input-" + value;
  return value;
}

/// The values for a list of inputs, which become known.
std::string values_for(std::string_view list, asked_inputs& known) {
  std::string values;
  const auto add = [&](const std::string& value, const std::string& input) {
    if (std::ranges::find(known.inputs, input) == known.inputs.end()) {
      known.values.push_back(value);
      known.inputs.push_back(input);
    }
    values += (values.empty() ? "" : ",") + value;
  };
  std::string first;
  for (const auto part : std::views::split(list, ',')) {
    const std::string input(part.begin(), part.end());
    if (input.empty()) return std::string(list);  // for the harness to refuse
    if (input == generator) {
      add(input, input);
    } else if (first.empty()) {
      first = input;
    } else {
      add(value_for(first) + "-" + value_for(input), first + "," + input);
      first.clear();
    }
  }
  if (!first.empty()) add(value_for(first), first);
  return values;
}

}  // namespace

asked_inputs inputs_asked_for(int argc, char** argv) {
  asked_inputs asked{{std::string(generator)}, {std::string(generator)}, {}};
  constexpr std::string_view option = "--input";
  bool list_follows = false;
  for (const std::string_view word : std::span(argv, static_cast<std::size_t>(argc))) {
    const bool joined = word.starts_with("--input=");
    if (list_follows)
      asked.arguments.push_back(values_for(word, asked));
    else if (joined)
      asked.arguments.push_back("--input=" + values_for(word.substr(option.size() + 1), asked));
    else
      asked.arguments.emplace_back(word);
    list_follows = word == option;
  }
  return asked;
}

}  // namespace finesync::nw
