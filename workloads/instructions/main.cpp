// instructions: what single instructions of synchronization cost; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/instructions/fences.hpp>
#include <workloads/instructions/instructions.hpp>

int main(int argc, char** argv) {
  using namespace finesync::instructions;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  bench::program program(
      "instructions",
      "What single instructions cost: atomics, loads, stores, votes, barriers, fences.\n"
      "latency_cycles_p50 of a row is the time of one in a chain, in SM cycles;\n"
      "fence_cycles_p50 that of one fence.");
  bench::axis measures = named_axis("measure", "what is measured", {"latency", "throughput"});
  measures.values = {0, 1};
  bench::axis accessed =
      named_axis("accessed",
                 "of a fence: memory accessed since the SM's last release fence: none, device "
                 "memory on its own (near-l2) or the other side of the L2 (far-l2), or shared "
                 "memory",
                 {"none", "near-l2", "far-l2", "shared-memory"});
  accessed.values = {0, 1, 2, 3};
  using fences::setting;
  const member_axes<run_config> axes{
      {named_axis("space", "where the words are; other-block: shared memory of the cluster's next",
                  {"global", "shared", "other-block"}),
       &run_config::where},
      {named_axis("scope", "scope of the access", {"block", "cluster", "device", "system"}, 2),
       &run_config::scope},
      {named_axis("order", "order of the access",
                  {"plain", "relaxed", "acquire", "release", "acq-rel"}, 1),
       &run_config::ordered},
      {number("bits", "width of a word: 32 or 64", 32, {32, 64}), &run_config::bits},
      {named_axis("result", "whether anything uses the value before: atom or red",
                  {"used", "unused"}),
       &run_config::result_unused},
      {number("stride", "from a thread's word to the next one's; 0: all have one", 128, {0, 128},
              "bytes"),
       &run_config::stride},
      {measures, &run_config::what},
      {tbs_per_sm(), &run_config::blocks_per_sm},
      {sms(), &run_config::sms},
      {threads_per_block_or_auto("threads per block", {}), &run_config::threads_per_block, 32},
      {accessed, &run_config::fence, &setting::accessed},
      {named_axis("access", "kind of that access, relaxed", {"load", "store", "addition"}, 1),
       &run_config::fence, &setting::kind},
      {named_axis("accessor",
                  "which thread accesses: the thread that fences, or one of another warp",
                  {"same-thread", "other-warp"}),
       &run_config::fence, &setting::by_other_warp},
      {yes_or_no("fenced-before", "whether another warp executes a release fence just before"),
       &run_config::fence, &setting::fenced_before},
      {number("delay", "delay from the access to the fence", 2000, {0, 1'000'000}, "cycles"),
       &run_config::fence, &setting::delay},
      {rounds("rounds of 16 instructions in a row, or of one fence", 16, max_rounds),
       &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_instructions(), filled_by(axes));
  add<run_config>(program, all_fences(), filled_by(axes));
  return program.run(argc, argv);
}
