// bfs: breadth-first search, level by level; see run_config.hpp.
#include <inputs/graphs/generate.hpp>
#include <workloads/bfs/aliases.hpp>
#include <workloads/bfs/barriers.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/primitives.hpp>

#include <functional>
#include <optional>

namespace {

using namespace finesync::bfs;
using namespace finesync::workload;
namespace bench = finesync::bench;

constexpr long long automatic = -1;

run_config run_config_of(const std::vector<std::string>& inputs, const bench::point& point,
                         const catalogue_entry<run_config>& primitive) {
  const grid_of_point grid = grid_or_default(point, primitive, 256, 1);
  const long long source = point["source"];
  return {.input = inputs[static_cast<std::size_t>(point["input"])],
          .source = source == automatic ? std::nullopt
                                        : std::optional(static_cast<std::uint32_t>(source)),
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .backoff = backs_off(point),
          .form = static_cast<finesync::traversal::barrier_form>(point["barrier-form"])};
}

}  // namespace

int main(int argc, char** argv) {
  const input_axis asked = make_input_axis(argc, argv, finesync::inputs::known_graphs(),
                                           one_each(finesync::inputs::names_graph));
  bench::program program(
      "bfs",
      "Breadth-first search in one persistent kernel, with a grid barrier per level (BFS of the\n"
      "thesis, table 4.3). items_per_second counts the arcs of the graph.");
  program
      .axis(bench::named_axis(
          "input", "graph: a generator, a generator with another size (NAME/SIZE), or a file",
          asked.values))
      .axis({.name = "source",
             .help = "vertex to start from; -1: the first with at least three arcs",
             .values = {automatic},
             .min = automatic,
             .max = 0xfffffffe})
      .axis(left_open(threads_per_block("threads per block, whole warps; auto: 256",
                                        {64, 128, 256, 512, 1024})))
      .axis(left_open(tbs_per_sm("thread blocks per SM; auto: 1", {1, 2, 4, 8})))
      .axis(backoff())
      .axis(bench::named_axis("barrier-form",
                              "blocking (a level, then the barrier), or overlapped (the first warp "
                              "in the barrier, the others follow arcs)",
                              {"blocking", "overlapped"}));
  program.aliases(former_names);
  add<run_config>(program, all_barriers(), std::bind_front(run_config_of, asked.inputs),
                  {"threads-per-block", "tbs-per-sm"}, sources_of(asked));
  return program.run(asked.words, asked.command_line);
}
