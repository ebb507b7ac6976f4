// The command line that breadth-first search and shortest paths share.
#pragma once

#include <inputs/graphs/generate.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/traversal/run_config.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace finesync::traversal {

/// Runs a program of these primitives; returns its exit status.
inline int run_program(int argc, char** argv, const std::string& name,
                       const std::string& description,
                       std::span<const workload::catalogue_entry<run_config>> all) {
  using namespace workload;
  constexpr long long automatic_source = -1;
  const input_axis asked =
      make_input_axis(argc, argv, with_small_default(inputs::known_graphs(), "rmat/10"),
                      one_each(inputs::names_graph));
  bench::program program(name, description);
  const member_axes<run_config> axes{
      {named_axis("input",
                  "graph: a generator, a generator with another size (NAME/SIZE), or a file",
                  asked.values),
       [&](run_config& config, std::size_t i) { config.input = asked.inputs[i]; }},
      {number("source",
              "vertex to start from, by the input's own numbers (DIMACS, PACE and Matrix Market "
              "count from 1, other files and generators from 0); -1: the first with at least three "
              "arcs",
              automatic_source, {automatic_source, 0xfffffffe}),
       [](run_config& config, long long source) {
         if (source != automatic_source) config.source = static_cast<std::uint32_t>(source);
       }},
      {threads_per_block_or_auto(
           "threads per block, whole warps; auto: 384, or the primitive's choice",
           {64, 128, 256, 384, 512, 1024}),
       &run_config::threads_per_block, 384},
      {tbs_per_sm_or_auto("thread blocks per SM; auto: 1, or the primitive's choice", {1, 2, 4, 8}),
       &run_config::blocks_per_sm, 1},
      {backoff(), &run_config::backoff},
      {named_axis("barrier-form",
                  "blocking (a round, then the barrier), split-phase (arrive, load what "
                  "the next round looks at first, wait), or overlapped (the first warp in "
                  "the barrier, the others follow arcs)",
                  {"blocking", "split-phase", "overlapped"}),
       &run_config::form},
      {yes_or_no("levels",
                 "whether to note the entries and the length of each level, in a run of "
                 "its own (blocking form)"),
       &run_config::levels}};
  declare(program, axes);
  add<run_config>(program, all, filled_by(axes), {"threads-per-block", "tbs-per-sm"},
                  sources_of(asked));
  return program.run(asked.words, asked.command_line);
}

}  // namespace finesync::traversal
