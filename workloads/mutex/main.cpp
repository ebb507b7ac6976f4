// mutex: all blocks compete for one lock; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/mutex/gpus_locks.hpp>
#include <workloads/mutex/locks.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace finesync::mutex;
using namespace finesync::workload;
namespace bench = finesync::bench;

int run(int argc, char** argv) {
  const std::vector<std::string> command_line(argv, argv + argc);
  std::vector<std::string> words = command_line;
  const running_engine running(words);
  bench::program program(
      "mutex",
      "One lock and all blocks of a grid (thesis, chapter 4): thread 0 of each block acquires\n"
      "and releases the lock repeatedly.",
      running.machine(bench::real_machine()));
  const member_axes<run_config> axes{
      {tbs_per_sm("thread blocks per SM", {1, 2, 4, 8, 16, 32}), &run_config::blocks_per_sm},
      {threads_per_block(), &run_config::threads_per_block},
      {ldst("data that each thread loads and stores in the section; 0: one word, only thread 0"),
       &run_config::ldst},
      {named_axis("section", "critical section: count (increments in memory), or empty",
                  {"count", "empty"}),
       &run_config::empty_section},
      {backoff(), &run_config::backoff},
      {number_or_auto("cluster-blocks",
                      "blocks per cluster; auto: 8, fewer if they do not fit, 1 without clusters",
                      16, "blocks", {2, 4, 8, 16}),
       &run_config::cluster_blocks},
      {rounds("acquisitions per block and run", 64), &run_config::rounds},
      {gpus(), &run_config::gpus},
      {running_engine::axis(), &run_config::engine},
      {number_or_auto("sections-in-a-row",
                      "sections of a GPU in a row, while others wait; auto: 64", 255, "",
                      {1, 4, 16, 255}),
       &run_config::sections_in_a_row}};
  declare(program, axes);
  add<run_config>(program, all_locks(), filled_by(axes), {"tbs-per-sm"});
  add<run_config>(program, all_gpus_locks(), filled_by(axes), {"tbs-per-sm"}, {}, running.guard());
  return program.run(words, command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("mutex", run, argc, argv);
}
