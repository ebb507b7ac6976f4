// SPDX-License-Identifier: Apache-2.0
#include <bench/axis.hpp>
#include <bench/text_list.hpp>
#include <bench/usage_error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace finesync::bench {
namespace {

bool contains(const std::vector<long long>& values, long long value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

void check_values(const axis& which, const std::vector<long long>& values, const char* kind) {
  std::vector<long long> seen;
  for (const long long value : values) {
    if (value < which.min || value > which.max || contains(seen, value))
      throw std::invalid_argument(
          fmt::format("axis '{}' has the unusable {} {}", which.name, kind, value));
    seen.push_back(value);
  }
}

// For names of axes and of values.
bool is_usable(std::string_view name) {
  const auto usable = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), usable);
}

bool are_all_named(const axis& which) {
  return which.max < static_cast<long long>(which.names.size());
}

// "0.9" with two decimals: 90.
std::optional<long long> parse_decimals(std::string_view text, int decimals) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string after(text.substr(std::min(point + 1, text.size())));
  while (!after.empty() && after.back() == '0') after.pop_back();
  if (after.size() > static_cast<std::size_t>(decimals)) return std::nullopt;
  after.resize(static_cast<std::size_t>(decimals), '0');
  digits += after;
  long long value = 0;
  const char* const end = digits.data() + digits.size();
  if (text.empty() || text == "." || text.front() == '-' ||
      std::from_chars(digits.data(), end, value) != std::from_chars_result{end, std::errc{}})
    return std::nullopt;
  return value;
}

long long parse_value(const axis& which, std::string_view text) {
  const std::string option = "--" + which.name;
  const auto named = std::find(which.names.begin(), which.names.end(), text);
  if (named != which.names.end()) return named - which.names.begin();
  if (which.decimals > 0) {
    const std::optional<long long> value = parse_decimals(text, which.decimals);
    if (value && *value >= which.min && *value <= which.max) return *value;
  }
  if (are_all_named(which))
    throw usage_error(fmt::format("{}: '{}' is not {}", option, text, range_of(which)));
  const long long value = parse_integer(text, option);
  if (const std::string name = spelled(which.names, value); name != std::to_string(value))
    throw usage_error(fmt::format("{}: {} is written '{}'", option, value, name));
  if (value < which.min || value > which.max)
    throw usage_error(
        fmt::format("{}: {} is out of range, allowed are {}", option, value, range_of(which)));
  return value;
}

long long suffix_factor(char suffix) {
  switch (suffix) {
    case 'K':
      return 1024;
    case 'M':
      return 1024 * 1024;
    default:
      return 1;
  }
}

}  // namespace

axis named_axis(std::string name, std::string help, std::vector<std::string> names,
                long long default_value) {
  const auto last = static_cast<long long>(names.size()) - 1;
  return {.name = std::move(name),
          .help = std::move(help),
          .values = {default_value},
          .max = last,
          .names = std::move(names)};
}

std::string spelled(const std::vector<std::string>& names, long long value) {
  const bool is_named = value >= 0 && value < static_cast<long long>(names.size());
  return is_named ? names[static_cast<std::size_t>(value)] : std::to_string(value);
}

std::string identifier(std::string_view axis_name) {
  std::string result(axis_name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

long long parse_integer(std::string_view text, const std::string& what) {
  const long long factor = text.empty() ? 1 : suffix_factor(text.back());
  const std::string_view digits = factor == 1 ? text : text.substr(0, text.size() - 1);
  long long value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem == std::errc::result_out_of_range)
    throw usage_error(fmt::format("{}: '{}' is too large", what, text));
  if (problem != std::errc{} || end != digits.data() + digits.size())
    throw usage_error(fmt::format("{}: '{}' is not a number", what, text));
  long long scaled = 0;
  if (__builtin_mul_overflow(value, factor, &scaled))
    throw usage_error(fmt::format("{}: '{}' is too large", what, text));
  return scaled;
}

std::vector<long long> parse_values(const axis& which, std::string_view text) {
  std::vector<long long> values;
  for (const std::string_view item : items_of(text, "--" + which.name)) {
    const long long value = parse_value(which, item);
    if (contains(values, value))
      throw usage_error(
          fmt::format("--{}: {} is given twice", which.name, spelled(which.names, value)));
    values.push_back(value);
  }
  return values;
}

std::string range_of(const axis& which) {
  if (which.decimals > 0)
    return fmt::format("a number from 0 to {:g} with up to {} decimals, in results {} to {}",
                       static_cast<double>(which.max) / std::pow(10, which.decimals),
                       which.decimals, which.names.front(), which.names.back());
  const std::string names = fmt::format("{}", fmt::join(which.names, ", "));
  if (are_all_named(which)) return names;
  const long long first =
      names.empty() ? which.min : std::max(which.min, static_cast<long long>(which.names.size()));
  const std::string numbers = which.max == std::numeric_limits<long long>::max()
                                  ? fmt::format("{} or more", first)
                                  : fmt::format("{} to {}", first, which.max);
  return names.empty() ? numbers : names + ", or " + numbers;
}

std::vector<long long> tuning_values(const axis& which) {
  std::vector<long long> values = {which.values.front()};
  for (const long long value : which.candidates)
    if (!contains(values, value)) values.push_back(value);
  return values;
}

void check_declaration(const axis& which) {
  if (!is_usable(which.name))
    throw std::invalid_argument(fmt::format("axis '{}' has an unusable name", which.name));
  for (const std::string& name : which.names)
    if (!is_usable(name) || (name.front() >= '0' && name.front() <= '9') ||
        std::count(which.names.begin(), which.names.end(), name) > 1)
      throw std::invalid_argument(
          fmt::format("axis '{}' has the unusable value name '{}'", which.name, name));
  if (which.values.empty())
    throw std::invalid_argument(fmt::format("axis '{}' has no default values", which.name));
  check_values(which, which.values, "default");
  check_values(which, which.candidates, "candidate");
}

}  // namespace finesync::bench
