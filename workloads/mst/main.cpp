// mst: minimum spanning forests; all vertices of a component update its record; see run_config.hpp.
#include <inputs/graphs/generate.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/mst/minima.hpp>

int main(int argc, char** argv) {
  using namespace finesync::mst;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  // Known generators, the same generators with another size, and files.
  const input_axis asked =
      make_input_axis(argc, argv, with_small_default(finesync::inputs::known_graphs(), "rmat/8"),
                      one_each(finesync::inputs::names_graph));
  bench::program program(
      "mst",
      "Minimum spanning forests by Boruvka's algorithm (MST of ASPLOS'19, section 4.1).\n"
      "items_per_second counts the edges of the graph.");
  const member_axes<run_config> axes{
      {named_axis("input",
                  "graph: a generator, a generator with another size (NAME/SIZE), or a file",
                  asked.values),
       [&](run_config& config, std::size_t i) { config.problem.input = asked.inputs[i]; }},
      {number("light-edges",
              "lightest edges to process first, per 100 vertices; 0: all edges in one phase", 70,
              {0, 10000}, "", {0, 10, 20, 35, 50, 60, 80, 100, 120}),
       &run_config::light_percent},
      {threads_per_block_or_auto("threads per block; auto: 256, for servers 512",
                                 {64, 128, 256, 512, 1024}),
       &run_config::threads_per_block, 256},
      {tbs_per_sm_or_auto("thread blocks per SM; auto: as many as fit", {1, 2, 4, 8}),
       &run_config::blocks_per_sm, 0},
      {servers_percent("50", {25, 40, 60, 75}), &run_config::servers_percent},
      {number_or_auto("ring-slots",
                      "capacity of a server's ring in requests, a power of two; auto: 4096, for "
                      "server_fast 8192",
                      1 << 20, "", {2048, 8192, 16384}),
       &run_config::ring},
      {number("server-rounds",
              "rounds whose candidate edges go to servers; later rounds use an atomic minimum", 2,
              {1, 16}, "", {1, 2, 3, 4}),
       &run_config::server_rounds},
      {section_work(1024), &run_config::section_work}};
  declare(program, axes);
  add<run_config>(program, all_minima(), filled_by(axes),
                  {"light-edges", "threads-per-block", "tbs-per-sm", "servers-percent",
                   "ring-slots", "server-rounds"},
                  sources_of(asked));
  return program.run(asked.words, asked.command_line);
}
