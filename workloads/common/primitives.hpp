// Adds entries of the catalogue to the harness.
#pragma once

#include <bench/program.hpp>
#include <workloads/common/catalogue_entry.hpp>
#include <workloads/common/inputs/input_axis.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace finesync::workload {

/// What a program has to do when it makes an experiment. \param make makes it.
using experiment_guard = std::function<std::unique_ptr<bench::experiment>(
    const std::function<std::unique_ptr<bench::experiment>()>& make)>;

/// Adds primitives to a program. \param run_config_of makes a run configuration from a point and
/// the entry, which has the defaults. \param tunable, sources see bench::primitive.
template <class RunConfig, class RunConfigOf>
void add(bench::program& program, std::span<const catalogue_entry<RunConfig>> entries,
         RunConfigOf run_config_of, const std::vector<std::string>& tunable = {},
         const bench::source_of_inputs& sources = {}, const experiment_guard& guard = {}) {
  for (const catalogue_entry<RunConfig>& each : entries) {
    program.primitive({each.name, each.help,
                       [each, run_config_of, guard](const bench::point& point) {
                         const auto make = [&] { return each.make(run_config_of(point, each)); };
                         return with_readable_input([&] { return guard ? guard(make) : make(); });
                       },
                       tunable, sources, each.axes, each.may_be_wrong, each.aside});
  }
}

}  // namespace finesync::workload
