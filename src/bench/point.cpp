// SPDX-License-Identifier: Apache-2.0
#include <bench/point.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace finesync::bench {
namespace {

auto find(const std::vector<setting>& settings, std::string_view axis_name) {
  return std::find_if(settings.begin(), settings.end(),
                      [&](const setting& each) { return each.axis == axis_name; });
}

}  // namespace

point::point(std::string primitive, std::vector<setting> settings)
    : primitive_(std::move(primitive)), settings_(std::move(settings)) {}

long long point::operator[](std::string_view axis_name) const {
  return setting_of(axis_name).value;
}

long long point::value_or(std::string_view axis_name, long long otherwise) const {
  const auto found = find(settings_, axis_name);
  return found == settings_.end() ? otherwise : found->value;
}

const setting& point::setting_of(std::string_view axis_name) const {
  const auto found = find(settings_, axis_name);
  if (found == settings_.end())
    throw std::out_of_range(fmt::format("there is no axis '{}'", axis_name));
  return *found;
}

point point::with(std::string_view axis_name, long long value) const {
  point changed = *this;
  changed.settings_[static_cast<std::size_t>(&setting_of(axis_name) - settings_.data())].value =
      value;
  return changed;
}

std::string point::name(std::string_view program) const {
  std::string result = fmt::format("{}/primitive:{}", program, primitive_);
  for (const setting& each : settings_)
    result += fmt::format("/{}:{}", identifier(each.axis), each.text());
  return result;
}

std::vector<point> product(const std::string& primitive, const std::vector<axis>& axes) {
  std::vector<std::vector<setting>> combinations = {{}};
  for (const axis& each : axes) {
    std::vector<std::vector<setting>> longer;
    for (const std::vector<setting>& shorter : combinations) {
      for (const long long value : each.values) {
        longer.push_back(shorter);
        longer.back().push_back({each.name, value, each.names});
      }
    }
    combinations = std::move(longer);
  }
  std::vector<point> points;
  for (std::vector<setting>& settings : combinations)
    points.emplace_back(primitive, std::move(settings));
  return points;
}

}  // namespace finesync::bench
