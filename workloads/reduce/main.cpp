// reduce: sums of an array, with a grid barrier in each; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/reduce/barriers.hpp>

namespace {

using namespace finesync::reduce;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>& primitive) {
  const grid_of_point grid = grid_or_default(point, primitive, 256);
  return {.words = static_cast<std::uint64_t>(point["words"]),
          .rounds = static_cast<unsigned>(point["rounds"]),
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .backoff = backs_off(point),
          .form = static_cast<barrier_form>(point["barrier-form"])};
}

}  // namespace

int main(int argc, char** argv) {
  bench::program program(
      "reduce",
      "Sums of an array of random words, with a grid barrier in each (Reduce of the thesis, table\n"
      "4.3). items_per_second counts words read.");
  program
      .axis({.name = "words",
             .help = "words to sum in each round; few make the barrier most of the time",
             .values = {1 << 20},
             .min = 1,
             .max = 1LL << 32})
      .axis(rounds("sums in one launch, each with a barrier", 10))
      .axis(left_open(threads_per_block("threads per block, whole warps; auto: 256",
                                        {64, 128, 256, 512, 1024})))
      .axis(left_open(tbs_per_sm("thread blocks per SM; auto: as many as fit", {1, 2, 4, 8})))
      .axis(backoff())
      .axis(bench::named_axis("barrier-form",
                              "blocking (sum, then barrier), or split-phase (arrive, sum the words "
                              "of the next round, wait)",
                              {"blocking", "split-phase"}));
  add<run_config>(program, all_barriers(), run_config_of, {"threads-per-block", "tbs-per-sm"});
  return program.run(argc, argv);
}
