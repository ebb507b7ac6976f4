// An axis is declared once: with the member of the run configuration that its value fills.
#pragma once

#include <bench/axis.hpp>
#include <bench/point.hpp>
#include <bench/program.hpp>
#include <workloads/common/catalogue_entry.hpp>

#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace finesync::workload {

/// An axis and the member that has its value; `factor` times the value, if it is in other units.
template <class RunConfig>
struct member_axis {
  bench::axis axis;
  std::function<void(RunConfig&, long long)> fill;

  template <class Member>
  member_axis(bench::axis declared, Member RunConfig::*member, long long factor = 1)
      : axis(std::move(declared)), fill([member, factor](RunConfig& config, long long value) {
          config.*member = static_cast<Member>(factor * value);
        }) {}

  /// A member of a member.
  template <class Outer, class Member>
  member_axis(bench::axis declared, Outer RunConfig::*outer, Member Outer::*member)
      : axis(std::move(declared)), fill([outer, member](RunConfig& config, long long value) {
          config.*outer.*member = static_cast<Member>(value);
        }) {}
};

template <class RunConfig>
using member_axes = std::vector<member_axis<RunConfig>>;

/// Declares the axes of a program, in this order.
template <class RunConfig>
void declare(bench::program& program, const member_axes<RunConfig>& axes) {
  for (const member_axis<RunConfig>& each : axes) program.axis(each.axis);
}

/// What add() needs: the configuration of a point. Members without an axis of the primitive keep
/// their defaults.
template <class RunConfig>
auto filled_by(member_axes<RunConfig> axes) {
  return [axes = std::move(axes)](const bench::point& point, const catalogue_entry<RunConfig>&) {
    constexpr long long none = std::numeric_limits<long long>::min();
    RunConfig config{};
    for (const member_axis<RunConfig>& each : axes)
      if (const long long value = point.value_or(each.axis.name, none); value != none)
        each.fill(config, value);
    return config;
  };
}

}  // namespace finesync::workload
