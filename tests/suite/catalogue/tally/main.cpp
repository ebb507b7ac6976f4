// tally: threads that count under locks, see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/tally/locks.hpp>

namespace {

finesync::tally::run_config run_config_of(
    const finesync::bench::point& point,
    const finesync::workload::catalogue_entry<finesync::tally::run_config>&) {
  return {.blocks = static_cast<unsigned>(point["tbs-per-sm"]),
          .counters = static_cast<unsigned>(point["counters"]),
          .rounds = static_cast<unsigned>(point["rounds"])};
}

}  // namespace

int main(int argc, char** argv) {
  finesync::bench::program program("tally", "Threads that count under locks.");
  program.axis(finesync::workload::tbs_per_sm("thread blocks", {1, 2}))
      .axis({.name = "counters", .help = "each under a lock", .values = {8}, .min = 1, .max = 1024})
      .axis({.name = "rounds", .help = "of each thread", .values = {16}, .min = 1, .max = 1024});
  finesync::workload::add<finesync::tally::run_config>(program, finesync::tally::all_locks(),
                                                       run_config_of);
  return program.run(argc, argv);
}
