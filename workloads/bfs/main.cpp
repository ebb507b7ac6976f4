// bfs: breadth-first search, level by level; see run_config.hpp.
#include <workloads/bfs/barriers.hpp>
#include <workloads/traversal/program.hpp>

int main(int argc, char** argv) {
  return finesync::traversal::run_program(
      argc, argv, "bfs",
      "Breadth-first search in one persistent kernel, with a grid barrier per level (BFS of the\n"
      "thesis, table 4.3). items_per_second counts the arcs of reached vertices.",
      finesync::bfs::all_barriers());
}
