// reduce: sums of an array, with a grid barrier in each; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/reduce/barriers.hpp>

int main(int argc, char** argv) {
  using namespace finesync::reduce;
  using namespace finesync::workload;
  finesync::bench::program program(
      "reduce",
      "Sums of an array of random words, with a grid barrier in each (Reduce of the thesis, table\n"
      "4.3). items_per_second counts words read.");
  const member_axes<run_config> axes{
      {number("words", "words to sum in each round; few make the barrier most of the time", 1 << 20,
              {1, 1LL << 32}),
       &run_config::words},
      {rounds("sums in one launch, each with a barrier", 10), &run_config::rounds},
      {threads_per_block_or_auto("threads per block, whole warps; auto: 256",
                                 {64, 128, 256, 512, 1024}),
       &run_config::threads_per_block, 256},
      {tbs_per_sm_or_auto("thread blocks per SM; auto: as many as fit", {1, 2, 4, 8}),
       &run_config::blocks_per_sm, 0},
      {backoff(), &run_config::backoff},
      {named_axis(
           "barrier-form",
           "blocking (sum, then barrier), or split-phase (arrive, add the shares of the round "
           "before, sum the words of the next, wait)",
           {"blocking", "split-phase"}),
       &run_config::form}};
  declare(program, axes);
  add<run_config>(program, all_barriers(), filled_by(axes), {"threads-per-block", "tbs-per-sm"});
  return program.run(argc, argv);
}
