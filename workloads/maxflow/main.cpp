// maxflow: maximum flow by push-relabel. Versions differ in how they find active nodes and how they
// keep two threads from one node; see run_config.hpp.
#include <inputs/graphs/generate.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/maxflow/flows.hpp>
#include <workloads/maxflow/locks.hpp>

#include <functional>

namespace {

using namespace finesync::maxflow;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const std::vector<std::string>& inputs, const bench::point& point,
                         const catalogue_entry<run_config>& primitive) {
  const auto rows = static_cast<unsigned>(point["rows"]);
  const auto columns = static_cast<unsigned>(point["columns"]);
  const grid_of_point grid = grid_or_default(point, primitive, 256, 1);
  return {.problem = {.input = inputs[static_cast<std::size_t>(point["input"])],
                      .rows = rows,
                      .columns = columns == 0 ? rows : columns},
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .padded_locks = point.value_or("lock-layout", 0) != 0,
          .steps_per_barrier = value_or_default(point, primitive, "steps-per-barrier", 8),
          .relabel_interval = static_cast<unsigned>(point["relabel-interval"]),
          .ring = value_or_default(point, primitive, "ring-slots", 4096),
          .section_work = static_cast<std::uint32_t>(point.value_or("section-work", 0))};
}

}  // namespace

int main(int argc, char** argv) {
  // Meshes of --rows and --columns, generators with a size in the name, and files.
  const input_axis asked = make_input_axis(argc, argv, finesync::inputs::known_networks(),
                                           one_each(finesync::inputs::names_network));
  bench::program program(
      "maxflow",
      "Maximum flow by push-relabel (MF of ASPLOS'19, section 4.1) on Washington meshes: a node\n"
      "with excess pushes it to lower neighbours, and rises if it has none. A primitive that is\n"
      "named like a lock is a worklist in which each node has such a lock.");
  bench::axis input =
      bench::named_axis("input",
                        "network: a generator, a generator with another size (NAME/SIZE; "
                        "washington: a mesh with glibc's random numbers), or a file",
                        asked.values);
  program.axis(input)
      .axis({.name = "rows",
             .help = "rows of a mesh without a size",
             .values = {512},
             .min = 3,
             .max = 1 << 20})
      .axis(left_open({.name = "columns",
                       .help = "columns of the mesh; auto: as many as rows",
                       .max = 1 << 20}))
      .axis(left_open(threads_per_block("threads per block, a multiple of 32; auto: 256",
                                        {128, 256, 512}, max_threads)))
      .axis(left_open(
          tbs_per_sm("thread blocks per SM; auto: 1, for topological and worklist_lock_printed as "
                     "many as fit, for topological_printed a thread per node",
                     {1, 2, 4})))
      .axis(layout())
      .axis({.name = "steps-per-barrier",
             .help =
                 "steps of a block between two grid barriers, or looks of a thread at its nodes "
                 "in a launch",
             .values = {8},
             .min = 1,
             .max = 1024,
             .candidates = {1, 2, 4, 8, 16, 32}})
      .axis(left_open({.name = "ring-slots",
                       .help = "minimum capacity of a server's ring; auto: 4096",
                       .max = 1 << 24,
                       .unit = "messages"}))
      .axis({.name = "relabel-interval",
             .help = "steps between two global relabellings, relative to the levels of the last "
                     "breadth-first search",
             .values = {50},
             .min = 1,
             .max = 10'000,
             .unit = "%",
             .candidates = {10, 25, 50, 100, 200}})
      .axis(section_work(1024));
  const std::vector<std::string> tunable = {"relabel-interval", "tbs-per-sm", "threads-per-block"};
  const bench::source_of_inputs inputs = sources_of(asked);
  const auto run_configs = std::bind_front(run_config_of, asked.inputs);
  add<run_config>(program, all_flows(), run_configs, tunable, inputs);
  add<run_config>(program, all_locks(), run_configs, tunable, inputs);
  return program.run(asked.words, asked.command_line);
}
