// fence: what a fence costs by what the SM has touched, see setup.hpp.
#include <workloads/common/contenders.hpp>
#include <workloads/fence/aliases.hpp>
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
  using finesync::bench::named_axis;
  finesync::bench::program program(
      "fence",
      "What a fence costs: each SM touches a word, waits, and fences. fence_cycles_p50 of\n"
      "a row is the fence alone, in cycles of the SM.");
  finesync::bench::axis touched = named_axis(
      "touched",
      "what is touched since the SM's last release fence; device memory is on the SM's own side\n"
      "of the L2 or on the other",
      {"nothing", "own-side", "other-side", "shared-memory"});
  touched.values = {0, 1, 2, 3};
  program.axis(touched)
      .axis(named_axis("access", "by which relaxed access", {"load", "store", "addition"}, 1))
      .axis(named_axis("toucher", "by whom: the thread that fences, or one of another warp",
                       {"same-thread", "other-warp"}))
      .axis(named_axis("cleared", "whether another warp executes a release fence just before",
                       {"no", "yes"}))
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
  program.aliases(former_names);
  finesync::workload::add<setup>(program, all_fences(), setup_of);
  return program.run(argc, argv);
}
