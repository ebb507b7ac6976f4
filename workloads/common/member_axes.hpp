// For main() of a program. An axis is declared once: with the member of the run configuration that
// its value fills.
#pragma once

#include <bench/axis.hpp>
#include <bench/point.hpp>
#include <bench/program.hpp>
#include <finesync/host/gpu.cuh>
#include <workloads/common/axes.hpp>
#include <workloads/common/catalogue_entry.hpp>
#include <workloads/common/primitives.hpp>

#include <algorithm>
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

/// Makes the part of a grid that the command line leaves open fit an SM of this machine: defaults
/// run everywhere.
template <class RunConfig>
void fit_grid(const bench::point& point, RunConfig& config) {
  const gpu_properties gpu = current_gpu();
  const auto threads = static_cast<unsigned>(gpu.max_threads_per_sm);
  if (point.value_or("threads-per-block", 0) == 0)
    config.threads_per_block = std::min(config.threads_per_block, threads);
  const auto lanes = static_cast<unsigned>(gpu.warp_size);
  const unsigned in_whole_warps = (config.threads_per_block + lanes - 1) / lanes * lanes;
  const unsigned fitting =
      std::clamp(threads / in_whole_warps, 1u, static_cast<unsigned>(gpu.max_blocks_per_sm));
  if (point.value_or("tbs-per-sm", 0) == 0)
    config.blocks_per_sm = std::min(config.blocks_per_sm, fitting);
}

/// What add() needs: the configuration of a point, filled in the order of the axes. Members that
/// nothing fills keep their defaults.
template <class RunConfig>
auto filled_by(member_axes<RunConfig> axes) {
  return
      [axes = std::move(axes)](const bench::point& point, const catalogue_entry<RunConfig>& entry) {
        RunConfig config{};
        for (const member_axis<RunConfig>& each : axes) each.fill_from(point, entry, config);
        if constexpr (requires { config.threads_per_block, config.blocks_per_sm; })
          fit_grid(point, config);
        return config;
      };
}

}  // namespace finesync::workload
