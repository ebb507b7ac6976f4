// instructions: what single instructions of synchronization cost; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/instructions/instructions.hpp>

int main(int argc, char** argv) {
  using namespace finesync::instructions;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  bench::program program("instructions",
                         "What single instructions cost: atomics, loads, stores, votes, barriers.\n"
                         "latency_cycles_p50 of a row is the time of one in a chain, in SM cycles.");
  bench::axis measures = named_axis("measure", "what is measured", {"latency", "throughput"});
  measures.values = {0, 1};
  bench::axis threads = threads_per_block_or_auto("threads per block", {});
  const member_axes<run_config> axes{
      {measures, &run_config::what},
      {named_axis("space", "where the words are; other-block: shared memory of the cluster's next",
                  {"global", "shared", "other-block"}),
       &run_config::place},
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
      {tbs_per_sm(), &run_config::blocks_per_sm},
      {sms(), &run_config::sms},
      {threads, &run_config::threads_per_block, 32},
      {rounds("rounds of 16 instructions in a row", 16, max_rounds), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_instructions(), filled_by(axes));
  return program.run(argc, argv);
}
