// mutex: blocks that compete for one lock, see competition.hpp.
#include <bench/program.hpp>
#include <workloads/contest/axes.hpp>
#include <workloads/contest/competitor.hpp>
#include <workloads/mutex/competition.hpp>

#include <string>
#include <utility>
#include <vector>

namespace finesync::mutex {

namespace {

setup setup_of(const bench::point& at) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(at[axis]); };
  return {.blocks_per_sm = value("tbs-per-sm"),
          .threads_per_block = value("threads-per-block"),
          .ldst = value("ldst"),
          .rounds = value("rounds"),
          .cluster_blocks = value("cluster"),
          .backoff = value("backoff") != 0,
          .empty_section = value("section") != 0};
}

bench::primitive competitor(const char* name, const char* help, make_trial* make,
                            std::vector<std::string> tunable = {"tbs-per-sm"}) {
  return contest::competitor(
      name, help, [make](const bench::point& at) { return make(setup_of(at)); },
      std::move(tunable));
}

}  // namespace

}  // namespace finesync::mutex

int main(int argc, char** argv) {
  using namespace finesync::contest;
  using namespace finesync::mutex;
  return finesync::bench::program(
             "mutex",
             "One lock and all blocks of a grid (the thesis, chapter 4): thread 0 of each goes in\n"
             "and out, again and again.")
      .axis(tbs_per_sm("thread blocks per SM", {1, 2, 4, 8, 16, 32}))
      .axis(threads_per_block())
      .axis(ldst("words that each thread loads and stores inside; 0: one, by thread 0"))
      .axis({.name = "section",
             .help = "0: counts in memory; 1: empty, the hand-off alone",
             .values = {0},
             .min = 0,
             .max = 1})
      .axis(backoff("0: waiters look again at once; 1: the primitive's own back-off"))
      .axis({.name = "cluster",
             .help = "blocks of a cluster, for cohort alone; 1 where there are no clusters",
             .values = {8},
             .min = 1,
             .max = 16,
             .unit = "blocks",
             .candidates = {2, 4, 8, 16}})
      .axis({.name = "rounds",
             .help = "acquisitions per block and run",
             .values = {64},
             .min = 1,
             .max = 1 << 20})
      .primitive(competitor("spin", "try-lock, full fences (HeteroSync's spin mutex)", make_spin))
      .primitive(competitor("spin_ordered", "the same with acquire and release", make_spin_ordered))
      .primitive(
          competitor("ebo", "spin_ordered with exponential back-off (HeteroSync's EBO)", make_ebo))
      .primitive(competitor("ttas", "test-and-test-and-set, exponential back-off", make_ttas))
      .primitive(competitor("ticket",
                            "first come, first served; all poll one word (HeteroSync's "
                            "fetch-and-add)",
                            make_ticket))
      .primitive(competitor("ring", "the same, each polls its own line (HeteroSync's sleeping)",
                            make_ring))
      .primitive(competitor("array", "the same, a fence before the hand-off, sleep by distance",
                            make_array))
      .primitive(competitor("mcs", "a list of waiters", make_mcs))
      .primitive(competitor("cohort", "passed within clusters, now and then between them",
                            make_cohort, {"tbs-per-sm", "cluster"}))
      .primitive(competitor("carrying", "the hand-off carries the counter", make_carrying))
      .primitive(competitor("libcudacxx", "cuda::binary_semaphore", make_libcudacxx))
      .run(argc, argv);
}
