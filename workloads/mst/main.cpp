// mst: minimum spanning forests, whose components are updated by all their vertices; see setup.hpp.
#include "inputs_asked_for.hpp"

#include <workloads/common/axes.hpp>
#include <workloads/common/contenders.hpp>
#include <workloads/mst/minima.hpp>

namespace {

using namespace finesync::mst;
namespace workload = finesync::workload;
namespace bench = finesync::bench;

setup setup_of(const workload::asked_inputs& asked, const bench::point& at) {
  return {.what = {.input = asked.inputs[static_cast<std::size_t>(at["input"])]},
          .light_percent = static_cast<unsigned>(at.value_or("light", 0)),
          .threads_per_block = static_cast<unsigned>(at.value_or("threads-per-block", 0)),
          .blocks_per_sm = static_cast<unsigned>(at.value_or("tbs-per-sm", 0))};
}

}  // namespace

int main(int argc, char** argv) {
  workload::asked_inputs asked = inputs_asked_for(argc, argv);
  bench::program program(
      "mst",
      "Minimum spanning forests by Boruvka's algorithm (MST of ASPLOS'19, section 4.1).\n"
      "items_per_second counts the edges of the graph.");
  bench::axis threads = workload::threads_per_block();
  threads.values = {256};
  threads.candidates = {64, 128, 256, 512};
  program
      .axis(bench::named_axis(
          "input", "graph: a generator, one of another size (NAME/SIZE), or a file", asked.values))
      .axis({.name = "light",
             .help = "edges, for each 100 vertices, that are looked at before all heavier ones; 0: "
                     "all edges alike",
             .values = {70},
             .min = 0,
             .max = 10000,
             .candidates = {0, 10, 20, 35, 50, 60, 80, 100, 120}})
      .axis(threads)
      .axis(workload::left_open({.name = "tbs-per-sm",
                                 .help = "thread blocks per SM; auto: as many as fit",
                                 .max = 32,
                                 .candidates = {1, 2, 4, 8}}));
  const auto setups = [&asked](const bench::point& at, const workload::contender<setup>&) {
    return setup_of(asked, at);
  };
  workload::add<setup>(program, all_minima, setups, {"light", "threads-per-block", "tbs-per-sm"});
  std::vector<char*> arguments = asked.argument_pointers();
  return program.run(static_cast<int>(arguments.size()), arguments.data());
}
