// mst: minimum spanning forests; all vertices of a component update its record; see run_config.hpp.
#include <inputs/graphs/generate.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/mst/minima.hpp>

#include <functional>

namespace {

using namespace finesync::mst;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const std::vector<std::string>& inputs, const bench::point& point,
                         const catalogue_entry<run_config>& primitive) {
  const grid_of_point grid = grid_or_default(point, primitive, 256);
  return {.problem = {.input = inputs[static_cast<std::size_t>(point["input"])]},
          .light_percent = static_cast<unsigned>(point.value_or("light-edges", 0)),
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .servers_percent = value_or_default(point, primitive, "servers-percent"),
          .ring = value_or_default(point, primitive, "ring-slots"),
          .server_rounds = static_cast<unsigned>(point.value_or("server-rounds", 0)),
          .section_work = static_cast<std::uint32_t>(point.value_or("section-work", 0))};
}

}  // namespace

int main(int argc, char** argv) {
  // Known generators, the same generators with another size, and files.
  const input_axis asked = make_input_axis(argc, argv, finesync::inputs::known_graphs(),
                                           one_each(finesync::inputs::names_graph));
  bench::program program(
      "mst",
      "Minimum spanning forests by Boruvka's algorithm (MST of ASPLOS'19, section 4.1).\n"
      "items_per_second counts the edges of the graph.");
  program
      .axis(bench::named_axis(
          "input", "graph: a generator, a generator with another size (NAME/SIZE), or a file",
          asked.values))
      .axis({.name = "light-edges",
             .help = "lightest edges to process first, per 100 vertices; 0: all edges in one phase",
             .values = {70},
             .min = 0,
             .max = 10000,
             .candidates = {0, 10, 20, 35, 50, 60, 80, 100, 120}})
      .axis(left_open(threads_per_block("threads per block; auto: 256, for servers 512",
                                        {64, 128, 256, 512, 1024})))
      .axis(left_open(tbs_per_sm("thread blocks per SM; auto: as many as fit", {1, 2, 4, 8})))
      .axis(servers_percent("50", {25, 40, 60, 75}))
      .axis(left_open({.name = "ring-slots",
                       .help = "capacity of a server's ring in requests, a power of two; "
                               "auto: 4096, for server_fast 8192",
                       .max = 1 << 20,
                       .candidates = {2048, 8192, 16384}}))
      .axis(
          {.name = "server-rounds",
           .help = "rounds whose candidate edges go to servers; later rounds use an atomic minimum",
           .values = {2},
           .min = 1,
           .max = 16,
           .candidates = {1, 2, 3, 4}})
      .axis(section_work(1024));
  add<run_config>(program, all_minima(), std::bind_front(run_config_of, asked.inputs),
                  {"light-edges", "threads-per-block", "tbs-per-sm", "servers-percent",
                   "ring-slots", "server-rounds"},
                  sources_of(asked));
  return program.run(asked.words, asked.command_line);
}
