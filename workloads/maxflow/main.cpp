// maxflow: maximum flow by push-relabel. Versions differ in how they find active nodes and how they
// keep two threads from one node; see run_config.hpp.
#include <bench/kernel_timer.hpp>
#include <inputs/graphs/generate.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/maxflow/flows.hpp>
#include <workloads/maxflow/locks.hpp>

int main(int argc, char** argv) {
  using namespace finesync::maxflow;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  // Meshes of --rows and --columns, generators with a size in the name, and files.
  const input_axis asked = make_input_axis(argc, argv, finesync::inputs::known_networks(),
                                           one_each(finesync::inputs::names_network));
  bench::program program(
      "maxflow",
      "Maximum flow by push-relabel (MF of ASPLOS'19, section 4.1) on Washington meshes: a node\n"
      "with excess pushes it to lower neighbours, and rises if it has none. A primitive that is\n"
      "named like a lock is a worklist in which each node has such a lock.");
  const member_axes<run_config> axes{
      {named_axis("input",
                  "network: a generator, a generator with another size (NAME/SIZE; "
                  "washington: a mesh with glibc's random numbers), or a file",
                  asked.values),
       [&](run_config& config, std::size_t i) { config.problem.input = asked.inputs[i]; }},
      {number("rows", "rows of a mesh without a size", bench::runs_on_gpu() ? 512 : 8,
              {3, 1 << 20}),
       &run_config::problem, &problem::rows},
      {number_or_auto("columns", "columns of the mesh; auto: as many as rows", 1 << 20),
       [](run_config& config, unsigned columns) {
         config.problem.columns = columns == 0 ? config.problem.rows : columns;
       }},
      {threads_per_block_or_auto("threads per block, a multiple of 32; auto: 256", {128, 256, 512},
                                 max_threads),
       &run_config::threads_per_block, 256},
      {tbs_per_sm_or_auto(
           "thread blocks per SM; auto: 1, for topological and worklist_lock_printed as many as "
           "fit, for topological_printed a thread per node",
           {1, 2, 4}),
       &run_config::blocks_per_sm, 1},
      {layout(), &run_config::padded_locks},
      {number("steps-per-barrier",
              "steps of a block between two grid barriers, or looks of a thread at its nodes in a "
              "launch",
              8, {1, 1024}, "", {1, 2, 4, 8, 16, 32}),
       &run_config::steps_per_barrier, 8},
      {number_or_auto("ring-slots", "minimum capacity of a server's ring; auto: 4096", 1 << 24,
                      "messages"),
       &run_config::ring, 4096},
      {number("relabel-interval",
              "steps between two global relabellings, relative to the levels of the last "
              "breadth-first search",
              50, {1, 10'000}, "%", {10, 25, 50, 100, 200}),
       &run_config::relabel_interval},
      {section_work(1024), &run_config::section_work}};
  declare(program, axes);
  const std::vector<std::string> tunable = {"relabel-interval", "tbs-per-sm", "threads-per-block"};
  const auto filled = filled_by(axes);
  add<run_config>(program, all_flows(), filled, tunable, sources_of(asked));
  add<run_config>(program, all_locks(), filled, tunable, sources_of(asked));
  return program.run(asked.words, asked.command_line);
}
