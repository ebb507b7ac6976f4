// SPDX-License-Identifier: Apache-2.0
#include <bench/coordinate_descent.hpp>
#include <bench/named.hpp>
#include <bench/tuning.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace finesync::bench {
namespace {

// The axes that --tune chooses for a primitive.
std::vector<axis> open_axes(const declaration& declared, const sweep_request& asked,
                            const std::string& primitive) {
  std::vector<axis> open;
  if (!asked.tune) return open;
  for (const std::string& name : tunable_axes(declared, *named(declared.primitives, primitive)))
    if (std::find(asked.held.begin(), asked.held.end(), name) == asked.held.end())
      open.push_back(*named(asked.axes, name));
  return open;
}

// The chosen point, after the candidates that failed.
std::vector<point_record> tune_one(const untuned_point& requested, runner& runs,
                                   const stop_signal& stop) {
  if (requested.open.empty()) return {{.point = requested.start, .tuned = tuning{}}};
  std::vector<point_record> unusable;
  const auto cost_of = [&](const point& where) -> std::optional<double> {
    if (stop.requested() || runs.end()) return std::nullopt;
    point_record candidate{where};
    const std::optional<double> cost = runs.quick_cost(candidate);
    if (candidate.outcome.what != status::ok) unusable.push_back(std::move(candidate));
    return cost;
  };
  const descent_result choice = coordinate_descent(requested.start, requested.open, cost_of);

  point_record chosen{choice.best};
  std::vector<point_record> records;
  for (point_record& candidate : unusable) {
    if (has_failed(candidate))
      candidate.outcome.reason = "while tuning: " + candidate.outcome.reason;
    if (candidate.point.settings() == choice.best.settings()) {
      // The start, since no point has a cost. Its outcome stands; another run might hide it.
      chosen = std::move(candidate);
    } else if (has_failed(candidate)) {
      candidate.excluded = true;
      records.push_back(std::move(candidate));
    }
  }
  // Nobody knows how fast the other candidates are.
  if (runs.end() && !unusable.empty())
    chosen.outcome = {status::error, "while tuning: " + runs.end()->why};
  chosen.tuned = tuning{{}, choice.tried};
  for (const axis& each : requested.open) chosen.tuned->axes.push_back(each.name);
  records.push_back(std::move(chosen));
  return records;
}

std::string describe(const std::vector<point_record>& records) {
  const point_record& chosen = records.back();
  if (chosen.tuned->axes.empty()) return "nothing to choose";
  std::string text;
  for (const std::string& name : chosen.tuned->axes)
    text += fmt::format("{}:{} ", identifier(name), chosen.point.setting_of(name).text());
  if (chosen.outcome.what != status::ok) text = "no candidate is usable ";
  const auto failures = std::count_if(records.begin(), records.end(), has_failed);
  text += fmt::format("({} tried", chosen.tuned->tried);
  return text + (failures == 0 ? ")" : fmt::format(", {} failed)", failures));
}

}  // namespace

std::string untuned_point::name(std::string_view program) const {
  std::vector<setting> fixed;
  for (const setting& each : start.settings())
    if (named(open, each.axis) == open.end()) fixed.push_back(each);
  return point(start.primitive(), std::move(fixed)).name(program);
}

std::vector<untuned_point> untuned_points(const declaration& declared, const sweep_request& asked) {
  std::vector<untuned_point> points;
  for (const std::string& primitive : asked.primitives) {
    const std::vector<axis> open = open_axes(declared, asked, primitive);
    std::vector<axis> axes = axes_of(declared, *named(declared.primitives, primitive), asked.axes);
    for (axis& each : axes)
      if (named(open, each.name) != open.end()) each.values.resize(1);
    for (point& start : product(primitive, axes)) points.push_back({std::move(start), open});
  }
  return points;
}

std::vector<point_record> tune(const std::string& program,
                               const std::vector<untuned_point>& requested, runner& runs,
                               const stop_signal& stop) {
  std::vector<point_record> all;
  for (std::size_t i = 0; i < requested.size(); ++i) {
    std::vector<point_record> records = tune_one(requested[i], runs, stop);
    if (!stop.requested() && !runs.end())
      fmt::print(stderr, "tuned {}/{} {}: {}\n", i + 1, requested.size(),
                 requested[i].name(program), describe(records));
    std::move(records.begin(), records.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace finesync::bench
