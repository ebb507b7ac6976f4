// tally: threads that count under locks, see setup.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/tally/locks.hpp>

namespace {

finesync::tally::setup setup_of(
    const finesync::bench::point& at,
    const finesync::workload::catalogue_entry<finesync::tally::setup>&) {
  return {.blocks = static_cast<unsigned>(at["tbs-per-sm"]),
          .counters = static_cast<unsigned>(at["counters"]),
          .rounds = static_cast<unsigned>(at["rounds"])};
}

}  // namespace

int main(int argc, char** argv) {
  finesync::bench::program program("tally", "Threads that count under locks.");
  program.axis(finesync::workload::tbs_per_sm("thread blocks", {1, 2}))
      .axis({.name = "counters", .help = "each under a lock", .values = {8}, .min = 1, .max = 1024})
      .axis({.name = "rounds", .help = "of each thread", .values = {16}, .min = 1, .max = 1024});
  finesync::workload::add<finesync::tally::setup>(program, finesync::tally::all_locks(), setup_of);
  return program.run(argc, argv);
}
