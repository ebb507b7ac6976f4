// Adds entries of the catalogue to the harness.
#pragma once

#include <bench/program.hpp>
#include <workloads/common/catalogue_entry.hpp>

#include <span>
#include <string>
#include <vector>

namespace finesync::workload {

/// Adds primitives to a program. \param run_config_of makes a run configuration from a point and
/// the entry, which has the defaults. \param tunable, inputs see bench::primitive.
template <class RunConfig, class RunConfigOf>
void add(bench::program& program, std::span<const catalogue_entry<RunConfig>> entries,
         RunConfigOf run_config_of, const std::vector<std::string>& tunable = {},
         const bench::source_of_inputs& inputs = {}) {
  for (const catalogue_entry<RunConfig>& each : entries) {
    program.primitive({each.name, each.help,
                       [each, run_config_of](const bench::point& point) {
                         return each.make(run_config_of(point, each));
                       },
                       tunable, inputs, each.axes, each.aliases});
  }
}

/// The value of an axis. If it is 0 (auto) or the entry has no such axis: the entry's default, else
/// the program's.
template <class RunConfig>
unsigned value_or_default(const bench::point& point, const catalogue_entry<RunConfig>& primitive,
                          const std::string& axis, unsigned otherwise = 0) {
  if (const long long given = point.value_or(axis, 0); given != 0)
    return static_cast<unsigned>(given);
  const auto own = primitive.defaults.find(axis);
  return own == primitive.defaults.end() ? otherwise : own->second;
}

}  // namespace finesync::workload
