#include <bench/point.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace finesync::bench {

point::point(std::string primitive, std::vector<std::pair<std::string, long long>> axes)
    : primitive_(std::move(primitive)), axes_(std::move(axes)) {}

long long point::operator[](std::string_view axis_name) const {
  for (const auto& [name, value] : axes_)
    if (name == axis_name) return value;
  throw std::out_of_range(fmt::format("there is no axis '{}'", axis_name));
}

point point::with(std::string_view axis_name, long long value) const {
  point changed = *this;
  const auto found = std::find_if(changed.axes_.begin(), changed.axes_.end(),
                                  [&](const auto& each) { return each.first == axis_name; });
  if (found == changed.axes_.end())
    throw std::out_of_range(fmt::format("there is no axis '{}'", axis_name));
  found->second = value;
  return changed;
}

std::string point::name(std::string_view program) const {
  std::string result = fmt::format("{}/primitive:{}", program, primitive_);
  for (const auto& [axis_name, value] : axes_)
    result += fmt::format("/{}:{}", identifier(axis_name), value);
  return result;
}

std::vector<point> product(const std::vector<std::string>& primitives,
                           const std::vector<axis>& axes) {
  using assignment = std::vector<std::pair<std::string, long long>>;
  std::vector<assignment> assignments = {{}};
  for (const axis& each : axes) {
    std::vector<assignment> longer;
    for (const assignment& shorter : assignments) {
      for (const long long value : each.values) {
        longer.push_back(shorter);
        longer.back().emplace_back(each.name, value);
      }
    }
    assignments = std::move(longer);
  }
  std::vector<point> points;
  for (const std::string& primitive : primitives)
    for (const assignment& values : assignments) points.emplace_back(primitive, values);
  return points;
}

}  // namespace finesync::bench
