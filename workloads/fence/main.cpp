// fence: the cost of a fence, by the earlier accesses of its SM; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/fence/fences.hpp>

namespace {

using namespace finesync::fence_cost;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.accessed = static_cast<place>(value("accessed")),
          .kind = static_cast<enum access>(value("access")),
          .by_other_warp = value("accessor") != 0,
          .fenced_before = value("fenced-before") != 0,
          .delay = value("delay"),
          .rounds = value("rounds")};
}

}  // namespace

int main(int argc, char** argv) {
  using bench::named_axis;
  bench::program program(
      "fence",
      "The cost of a fence: each SM accesses a word, waits, and executes a fence.\n"
      "fence_cycles_p50 of a row is the time of the fence only, in SM cycles.");
  bench::axis accessed =
      named_axis("accessed",
                 "memory accessed since the SM's last release fence: none, device memory on its "
                 "own (near-l2) or the other side of the L2 (far-l2), or shared memory",
                 {"none", "near-l2", "far-l2", "shared-memory"});
  accessed.values = {0, 1, 2, 3};
  program.axis(accessed)
      .axis(named_axis("access", "kind of that access, relaxed", {"load", "store", "addition"}, 1))
      .axis(named_axis("accessor",
                       "which thread accesses: the thread that fences, or one of another warp",
                       {"same-thread", "other-warp"}))
      .axis(named_axis("fenced-before", "whether another warp executes a release fence just before",
                       {"no", "yes"}))
      .axis({.name = "delay",
             .help = "delay from the access to the fence",
             .values = {2000},
             .min = 0,
             .max = 1'000'000,
             .unit = "cycles"})
      .axis(rounds("fences per block and run", 1000, max_rounds));
  add<run_config>(program, all_fences(), run_config_of);
  return program.run(argc, argv);
}
