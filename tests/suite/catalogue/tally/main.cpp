// tally: threads that count under locks, see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/tally/locks.hpp>

int main(int argc, char** argv) {
  using namespace finesync::workload;
  using finesync::tally::run_config;
  const member_axes<run_config> axes{
      {tbs_per_sm("thread blocks", {1, 2}), &run_config::blocks},
      {number("counters", "each under a lock", 8, {1, 1024}), &run_config::counters},
      {number("rounds", "of each thread", 16, {1, 1024}), &run_config::rounds}};
  finesync::bench::program program("tally", "Threads that count under locks.");
  declare(program, axes);
  add<run_config>(program, finesync::tally::all_locks(), filled_by(axes));
  return program.run(argc, argv);
}
