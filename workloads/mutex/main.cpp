// mutex: all blocks compete for one lock; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/mutex/gpus_locks.hpp>
#include <workloads/mutex/locks.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace finesync::mutex;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  const auto own = [&](const char* axis) { return static_cast<unsigned>(point.value_or(axis, 0)); };
  return {.blocks_per_sm = value("tbs-per-sm"),
          .threads_per_block = value("threads-per-block"),
          .ldst = value("ldst"),
          .rounds = value("rounds"),
          .cluster_blocks = own("cluster-blocks"),
          .backoff = backs_off(point),
          .empty_section = value("section") != 0,
          .gpus = std::max(own("gpus"), 1u),
          .sections_in_a_row = own("sections-in-a-row"),
          .engine = static_cast<engine_kind>(own("engine"))};
}

int run(int argc, char** argv) {
  using bench::named_axis;
  const std::vector<std::string> command_line(argv, argv + argc);
  std::vector<std::string> words = command_line;
  const running_engine running(words);
  bench::program program(
      "mutex",
      "One lock and all blocks of a grid (thesis, chapter 4): thread 0 of each block acquires\n"
      "and releases the lock repeatedly.",
      running.machine(bench::real_machine()));
  program.axis(tbs_per_sm("thread blocks per SM", {1, 2, 4, 8, 16, 32}))
      .axis(threads_per_block())
      .axis(
          ldst("data that each thread loads and stores in the section; 0: one word, only thread 0"))
      .axis(named_axis("section", "critical section: count (increments in memory), or empty",
                       {"count", "empty"}))
      .axis(backoff())
      .axis(left_open(
          {.name = "cluster-blocks",
           .help = "blocks per cluster; auto: 8, fewer if they do not fit, 1 without clusters",
           .max = 16,
           .unit = "blocks",
           .candidates = {2, 4, 8, 16}}))
      .axis(rounds("acquisitions per block and run", 64))
      .axis(gpus())
      .axis(running_engine::axis())
      .axis(left_open({.name = "sections-in-a-row",
                       .help = "sections of a GPU in a row, while others wait; auto: 64",
                       .max = 255,
                       .candidates = {1, 4, 16, 255}}));
  add<run_config>(program, all_locks(), run_config_of, {"tbs-per-sm"});
  add<run_config>(program, all_gpus_locks(), run_config_of, {"tbs-per-sm"}, {}, running.guard());
  return program.run(words, command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("mutex", run, argc, argv);
}
