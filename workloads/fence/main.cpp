// fence: the cost of a fence, by the earlier accesses of its SM; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/fence/fences.hpp>

int main(int argc, char** argv) {
  using namespace finesync::fence_cost;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
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
  const member_axes<run_config> axes{
      {accessed, &run_config::accessed},
      {named_axis("access", "kind of that access, relaxed", {"load", "store", "addition"}, 1),
       &run_config::kind},
      {named_axis("accessor",
                  "which thread accesses: the thread that fences, or one of another warp",
                  {"same-thread", "other-warp"}),
       &run_config::by_other_warp},
      {yes_or_no("fenced-before", "whether another warp executes a release fence just before"),
       &run_config::fenced_before},
      {number("delay", "delay from the access to the fence", 2000, {0, 1'000'000}, "cycles"),
       &run_config::delay},
      {rounds("fences per block and run", 1000, max_rounds), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_fences(), filled_by(axes));
  return program.run(argc, argv);
}
