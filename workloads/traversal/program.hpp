// The command line that breadth-first search and shortest paths share.
#pragma once

#include <inputs/graphs/generate.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/traversal/run_config.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace finesync::traversal {

inline constexpr long long automatic_source = -1;

inline run_config run_config_of(const std::vector<std::string>& inputs, const bench::point& point,
                                const workload::catalogue_entry<run_config>& primitive) {
  const workload::grid_of_point grid = workload::grid_or_default(point, primitive, 384, 1);
  const long long source = point["source"];
  return {.input = inputs[static_cast<std::size_t>(point["input"])],
          .source = source == automatic_source ? std::nullopt
                                               : std::optional(static_cast<std::uint32_t>(source)),
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .backoff = workload::backs_off(point),
          .form = static_cast<barrier_form>(point["barrier-form"]),
          .levels = point["levels"] != 0};
}

/// Runs a program of these primitives; returns its exit status.
inline int run_program(int argc, char** argv, const std::string& name,
                       const std::string& description,
                       std::span<const workload::catalogue_entry<run_config>> all) {
  using namespace workload;
  const input_axis asked =
      make_input_axis(argc, argv, inputs::known_graphs(), one_each(inputs::names_graph));
  bench::program program(name, description);
  program
      .axis(bench::named_axis(
          "input", "graph: a generator, a generator with another size (NAME/SIZE), or a file",
          asked.values))
      .axis({.name = "source",
             .help = "vertex to start from, by the input's own numbers (DIMACS, PACE and Matrix "
                     "Market count from 1, other files and generators from 0); -1: the first with "
                     "at least three arcs",
             .values = {automatic_source},
             .min = automatic_source,
             .max = 0xfffffffe})
      .axis(left_open(threads_per_block("threads per block, whole warps; auto: 384, or the "
                                        "primitive's choice",
                                        {64, 128, 256, 384, 512, 1024})))
      .axis(left_open(
          tbs_per_sm("thread blocks per SM; auto: 1, or the primitive's choice", {1, 2, 4, 8})))
      .axis(backoff())
      .axis(bench::named_axis("barrier-form",
                              "blocking (a round, then the barrier), split-phase (arrive, load "
                              "what the next round looks at first, wait), or overlapped (the first "
                              "warp in the barrier, the others follow arcs)",
                              {"blocking", "split-phase", "overlapped"}))
      .axis(bench::named_axis("levels",
                              "whether to note the entries and the length of each level, in a run "
                              "of its own (blocking form)",
                              {"no", "yes"}));
  add<run_config>(program, all, std::bind_front(run_config_of, asked.inputs),
                  {"threads-per-block", "tbs-per-sm"}, sources_of(asked));
  return program.run(asked.words, asked.command_line);
}

}  // namespace finesync::traversal
