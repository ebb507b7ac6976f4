// chain: sums passed from thread to thread of a block; see run_config.hpp.
#include <workloads/chain/channels.hpp>
#include <workloads/common/member_axes.hpp>

int main(int argc, char** argv) {
  using namespace finesync::chain;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  bench::program program(
      "chain",
      "Threads of one block pass sums on, one after the other (ICS'15, Listing 10).\n"
      "chain_cycles_p50 of a row is the time of the whole chain, in SM cycles.");
  const member_axes<run_config> axes{
      {number("warps", "warps in the block", 16, {1, 32}, "warps"), &run_config::warps},
      {number("distance",
              "distance from a thread to the thread that receives its sum; below 32: also within "
              "warps",
              32, {1, 1024}, "threads"),
       &run_config::distance},
      {rounds("chains per run, one after the other", 200, max_rounds), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_channels(), filled_by(axes));
  return program.run(argc, argv);
}
