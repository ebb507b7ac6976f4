// For main() of a program. An axis is declared once: with the member of the run configuration that
// its value fills.
#pragma once

#include <bench/axis.hpp>
#include <bench/point.hpp>
#include <bench/program.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/catalogue_entry.hpp>
#include <workloads/common/primitives.hpp>

#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace finesync::workload {

/// An axis and the member that has its value. Where a point leaves the axis at "auto", or its
/// primitive has no such axis, the entry's default fills the member, else `usual`.
template <class RunConfig>
struct member_axis {
  bench::axis axis;
  std::function<void(RunConfig&, long long)> fill;
  std::optional<long long> usual = {};

  template <class Member>
  member_axis(bench::axis declared, Member RunConfig::*member,
              std::optional<long long> usually = {})
      : axis(std::move(declared)),
        fill([member](RunConfig& config, long long value) {
          config.*member = static_cast<Member>(value);
        }),
        usual(usually) {}

  /// A member of a member.
  template <class Outer, class Member>
  member_axis(bench::axis declared, Outer RunConfig::*outer, Member Outer::*member,
              std::optional<long long> usually = {})
      : axis(std::move(declared)),
        fill([outer, member](RunConfig& config, long long value) {
          config.*outer.*member = static_cast<Member>(value);
        }),
        usual(usually) {}

  /// A value that a function makes into members. Of "auto" it is called with 0, then with the
  /// default if there is one.
  template <std::invocable<RunConfig&, long long> Fill>
  member_axis(bench::axis declared, Fill filling)
      : axis(std::move(declared)), fill(std::move(filling)) {}

  void fill_from(const bench::point& point, const catalogue_entry<RunConfig>& entry,
                 RunConfig& config) const {
    constexpr long long none = std::numeric_limits<long long>::min();
    const long long value = point.value_or(axis.name, none);
    if (value != none) fill(config, value);
    const bool is_auto = value == 0 && !axis.names.empty() && axis.names.front() == "auto";
    if (value != none && !is_auto) return;
    if (const auto known = entry.defaults.find(axis.name); known != entry.defaults.end())
      fill(config, known->second);
    else if (usual)
      fill(config, *usual);
  }
};

template <class RunConfig>
using member_axes = std::vector<member_axis<RunConfig>>;

/// Declares the axes of a program, in this order.
template <class RunConfig>
void declare(bench::program& program, const member_axes<RunConfig>& axes) {
  for (const member_axis<RunConfig>& each : axes) program.axis(each.axis);
}

/// What add() needs: the configuration of a point, filled in the order of the axes. Members that
/// nothing fills keep their defaults.
template <class RunConfig>
auto filled_by(member_axes<RunConfig> axes) {
  return
      [axes = std::move(axes)](const bench::point& point, const catalogue_entry<RunConfig>& entry) {
        RunConfig config{};
        for (const member_axis<RunConfig>& each : axes) each.fill_from(point, entry, config);
        return config;
      };
}

/// The same with the grid of grid_or_default(). \param usual of the program.
template <class RunConfig>
auto filled_by(member_axes<RunConfig> axes, grid_of_point usual) {
  return [fill = filled_by(std::move(axes)), usual](const bench::point& point,
                                                    const catalogue_entry<RunConfig>& entry) {
    RunConfig config = fill(point, entry);
    const grid_of_point grid =
        grid_or_default(point, entry, usual.threads_per_block, usual.blocks_per_sm);
    config.threads_per_block = grid.threads_per_block;
    config.blocks_per_sm = grid.blocks_per_sm;
    return config;
  };
}

}  // namespace finesync::workload
