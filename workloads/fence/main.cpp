// fence: what a fence costs by what the SM has touched, see setup.hpp.
#include <workloads/common/contenders.hpp>
#include <workloads/fence/fences.hpp>

namespace finesync::fence_cost {

namespace {

setup setup_of(const bench::point& at, const workload::contender<setup>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(at[axis]); };
  return {.touched = static_cast<place>(value("touched")),
          .how = static_cast<access>(value("access")),
          .by_other_warp = value("toucher") != 0,
          .cleared = value("cleared") != 0,
          .gap = value("gap"),
          .rounds = value("rounds")};
}

}  // namespace

}  // namespace finesync::fence_cost

int main(int argc, char** argv) {
  using namespace finesync::fence_cost;
  finesync::bench::program program(
      "fence",
      "What a fence costs: each SM touches a word, waits, and fences. fence_cycles_p50 of\n"
      "a row is the fence alone, in cycles of the SM.");
  program
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
             .max = most_rounds});
  finesync::workload::add<setup>(program, all_fences, setup_of);
  return program.run(argc, argv);
}
