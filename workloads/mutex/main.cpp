// mutex: blocks that compete for one lock, see setup.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/mutex/aliases.hpp>
#include <workloads/mutex/locks.hpp>

namespace finesync::mutex {

namespace {

run_config run_config_of(const bench::point& point, const workload::catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.blocks_per_sm = value("tbs-per-sm"),
          .threads_per_block = value("threads-per-block"),
          .ldst = value("ldst"),
          .rounds = value("rounds"),
          .cluster_blocks = static_cast<unsigned>(point.value_or("cluster-blocks", 1)),
          .backoff = workload::backs_off(point),
          .empty_section = value("section") != 0};
}

}  // namespace

}  // namespace finesync::mutex

int main(int argc, char** argv) {
  using namespace finesync::workload;
  using namespace finesync::mutex;
  using finesync::bench::named_axis;
  finesync::bench::program program(
      "mutex",
      "One lock and all blocks of a grid (the thesis, chapter 4): thread 0 of each goes in\n"
      "and out, again and again.");
  program.axis(tbs_per_sm("thread blocks per SM", {1, 2, 4, 8, 16, 32}))
      .axis(threads_per_block())
      .axis(ldst("words that each thread loads and stores inside; 0: one, by thread 0"))
      .axis(named_axis("section", "what the holder does: counts in memory, or nothing",
                       {"count", "empty"}))
      .axis(backoff())
      .axis({.name = "cluster-blocks",
             .help = "blocks of a cluster; 1 where there are no clusters",
             .values = {8},
             .min = 1,
             .max = 16,
             .unit = "blocks",
             .candidates = {2, 4, 8, 16}})
      .axis({.name = "rounds",
             .help = "acquisitions per block and run",
             .values = {64},
             .min = 1,
             .max = 1 << 20});
  program.aliases(former_names);
  add<run_config>(program, all_locks(), run_config_of, {"tbs-per-sm"});
  return program.run(argc, argv);
}
