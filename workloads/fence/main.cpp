// fence: what a fence costs by what the SM has touched, see fence_cost.hpp.
#include <bench/program.hpp>
#include <workloads/contest/competitor.hpp>
#include <workloads/fence/fence_cost.hpp>

namespace finesync::fence_cost {

namespace {

setup setup_of(const bench::point& at) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(at[axis]); };
  return {.touched = static_cast<place>(value("touched")),
          .how = static_cast<access>(value("access")),
          .by_other_warp = value("toucher") != 0,
          .cleared = value("cleared") != 0,
          .gap = value("gap"),
          .rounds = value("rounds")};
}

bench::primitive competitor(const char* name, const char* help, make_trial* make) {
  return contest::competitor(name, help,
                             [make](const bench::point& at) { return make(setup_of(at)); });
}

}  // namespace

}  // namespace finesync::fence_cost

int main(int argc, char** argv) {
  using namespace finesync::fence_cost;
  return finesync::bench::program(
             "fence",
             "What a fence costs: each SM touches a word, waits, and fences. fence_cycles_p50 of\n"
             "a row is the fence alone, in cycles of the SM.")
      .axis({.name = "touched",
             .help = "what is touched since the SM's last release fence: 0 nothing, 1 device "
                     "memory on its own side of the L2, 2 on the other side, 3 shared memory",
             .values = {0, 1, 2, 3},
             .min = 0,
             .max = 3})
      .axis({.name = "access",
             .help = "by a relaxed 0 load, 1 store, 2 addition",
             .values = {1},
             .min = 0,
             .max = 2})
      .axis({.name = "toucher",
             .help = "by 0 the thread that fences, 1 a thread of another warp",
             .values = {0},
             .min = 0,
             .max = 1})
      .axis({.name = "cleared",
             .help = "1: another warp executes a release fence just before",
             .values = {0},
             .min = 0,
             .max = 1})
      .axis({.name = "gap",
             .help = "from the access to the fence",
             .values = {2000},
             .min = 0,
             .max = 1'000'000,
             .unit = "cycles"})
      .axis({.name = "rounds",
             .help = "fences per block and run",
             .values = {1000},
             .min = 1,
             .max = most_rounds})
      .primitive(competitor("release", "fence.release.gpu", make_release))
      .primitive(competitor("acquire", "fence.acquire.gpu", make_acquire))
      .primitive(competitor("acq_rel", "fence.acq_rel.gpu", make_acq_rel))
      .primitive(competitor("seq_cst", "fence.sc.gpu, CUDA's __threadfence()", make_seq_cst))
      .primitive(competitor("release_cluster", "fence.release.cluster", make_release_cluster))
      .primitive(competitor("release_block", "fence.release.cta", make_release_block))
      .run(argc, argv);
}
