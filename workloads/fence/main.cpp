// fence: what a fence costs by what the SM has touched, see setup.hpp.
#include <workloads/common/primitives.hpp>
#include <workloads/fence/aliases.hpp>
#include <workloads/fence/fences.hpp>

namespace finesync::fence_cost {

namespace {

run_config run_config_of(const bench::point& point, const workload::catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.accessed = static_cast<place>(value("accessed")),
          .kind = static_cast<access>(value("access")),
          .by_other_warp = value("accessor") != 0,
          .fenced_before = value("fenced-before") != 0,
          .delay = value("delay"),
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
  finesync::bench::axis accessed = named_axis(
      "accessed",
      "what is accessed since the SM's last release fence; device memory is on the SM's own side\n"
      "of the L2 or on the other",
      {"none", "near-l2", "far-l2", "shared-memory"});
  accessed.values = {0, 1, 2, 3};
  program.axis(accessed)
      .axis(named_axis("access", "by which relaxed access", {"load", "store", "addition"}, 1))
      .axis(named_axis("accessor", "by whom: the thread that fences, or one of another warp",
                       {"same-thread", "other-warp"}))
      .axis(named_axis("fenced-before", "whether another warp executes a release fence just before",
                       {"no", "yes"}))
      .axis({.name = "delay",
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
  finesync::workload::add<run_config>(program, all_fences(), run_config_of);
  return program.run(argc, argv);
}
