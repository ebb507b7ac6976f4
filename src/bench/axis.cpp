#include <bench/axis.hpp>
#include <bench/text_list.hpp>
#include <bench/usage_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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
  const std::string option = "--" + which.name;
  std::vector<long long> values;
  for (const std::string_view item : split_at_commas(text)) {
    const long long value = parse_integer(item, option);
    if (value < which.min || value > which.max)
      throw usage_error(fmt::format("{}: {} is out of range, allowed are {} to {}", option, value,
                                    which.min, which.max));
    if (contains(values, value))
      throw usage_error(fmt::format("{}: {} is given twice", option, value));
    values.push_back(value);
  }
  return values;
}

std::vector<long long> tuning_values(const axis& which) {
  std::vector<long long> values = {which.values.front()};
  for (const long long value : which.candidates)
    if (!contains(values, value)) values.push_back(value);
  return values;
}

void check_declaration(const axis& which) {
  const auto usable = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (which.name.empty() || which.name.front() == '-' ||
      !std::all_of(which.name.begin(), which.name.end(), usable))
    throw std::invalid_argument(fmt::format("axis '{}' has an unusable name", which.name));
  if (which.values.empty())
    throw std::invalid_argument(fmt::format("axis '{}' has no default values", which.name));
  check_values(which, which.values, "default");
  check_values(which, which.candidates, "candidate");
}

}  // namespace finesync::bench
