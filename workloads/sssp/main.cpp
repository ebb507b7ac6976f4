// sssp: shortest paths from one vertex; see run_config.hpp.
#include <workloads/sssp/barriers.hpp>
#include <workloads/traversal/program.hpp>

int main(int argc, char** argv) {
  return finesync::traversal::run_program(
      argc, argv, "sssp",
      "Shortest paths from one vertex in one persistent kernel, with a grid barrier per round\n"
      "(SSSP of the thesis, table 4.3). items_per_second counts the arcs of reached vertices.",
      finesync::sssp::all_barriers());
}
