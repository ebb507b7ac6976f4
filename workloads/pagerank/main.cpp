// pagerank: ranks of the vertices of a graph; see run_config.hpp.
#include <inputs/graphs/generate.hpp>
#include <inputs/ratings/shape.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/pagerank/barriers.hpp>

#include <string>
#include <vector>

namespace {

using namespace finesync::pagerank;
using namespace finesync::workload;
namespace bench = finesync::bench;
namespace inputs = finesync::inputs;

/// Graphs, and ratings, which stand for the bipartite graph of the thesis.
std::vector<std::string> generators() {
  std::vector<std::string> all = inputs::known_graphs();
  for (const std::string& shape : inputs::shape_names()) all.push_back(shape);
  return all;
}

bool is_generated(const std::string& name) {
  return inputs::names_graph(name) || inputs::names_shape(name);
}

}  // namespace

int main(int argc, char** argv) {
  const input_axis asked = make_input_axis(argc, argv, with_small_default(generators(), "rmat/6"),
                                           one_each(is_generated));
  bench::program program(
      "pagerank",
      "PageRank in one persistent kernel, with a grid barrier per round (PageRank of the thesis,\n"
      "table 4.3), until every residual is at most 1e-6 where the mean rank is 1; damping 0.85.\n"
      "items_per_second counts arcs, in each round.");
  const member_axes<run_config> axes{
      {named_axis(
           "input",
           "graph: a generator, a generator with another size (NAME/SIZE), or a file; or generated "
           "ratings, as a bipartite graph",
           asked.values),
       [&](run_config& config, std::size_t i) { config.input = asked.inputs[i]; }},
      {named_axis("numbering",
                  "of the vertices: given, or by-degree (before the timed runs), which is "
                  "easier on the caches",
                  {"given", "by-degree"}),
       &run_config::order},
      {threads_per_block_or_auto("threads per block, whole warps; auto: 1024",
                                 {64, 128, 256, 512, 1024}),
       &run_config::threads_per_block, 1024},
      {tbs_per_sm_or_auto("thread blocks per SM; auto: as many as fit", {1, 2, 4, 8}),
       &run_config::blocks_per_sm, 0},
      {backoff(), &run_config::backoff}};
  declare(program, axes);
  add<run_config>(program, all_barriers(), filled_by(axes), {"threads-per-block", "tbs-per-sm"},
                  sources_of(asked));
  return program.run(asked.words, asked.command_line);
}
