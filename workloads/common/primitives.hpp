// Adds entries of the catalogue to the harness.
#pragma once

#include <bench/program.hpp>
#include <finesync/host/gpu.cuh>
#include <workloads/common/catalogue_entry.hpp>
#include <workloads/common/inputs/input_axis.hpp>

#include <algorithm>
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
                       tunable, sources, each.axes, each.may_be_wrong});
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

/// The grid of a point.
struct grid_of_point {
  unsigned threads_per_block;
  unsigned blocks_per_sm = 0;  ///< 0: as many as fit
};

/// As asked for. What the command line leaves open is the entry's default, else the program's, as
/// far as an SM of this machine holds it: defaults run everywhere.
template <class RunConfig>
grid_of_point grid_or_default(const bench::point& point,
                              const catalogue_entry<RunConfig>& primitive,
                              unsigned threads_per_block, unsigned blocks_per_sm = 0) {
  grid_of_point grid{value_or_default(point, primitive, "threads-per-block", threads_per_block),
                     value_or_default(point, primitive, "tbs-per-sm", blocks_per_sm)};
  const gpu_properties gpu = current_gpu();
  const auto threads = static_cast<unsigned>(gpu.max_threads_per_sm);
  if (point.value_or("threads-per-block", 0) == 0)
    grid.threads_per_block = std::min(grid.threads_per_block, threads);
  const auto lanes = static_cast<unsigned>(gpu.warp_size);
  const unsigned in_whole_warps = (grid.threads_per_block + lanes - 1) / lanes * lanes;
  const unsigned fitting =
      std::clamp(threads / in_whole_warps, 1u, static_cast<unsigned>(gpu.max_blocks_per_sm));
  if (point.value_or("tbs-per-sm", 0) == 0)
    grid.blocks_per_sm = std::min(grid.blocks_per_sm, fitting);
  return grid;
}

}  // namespace finesync::workload
