// stream_k: products whose tiles are cut; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/stream_k/fixups.hpp>

namespace {

using namespace finesync::stream_k;
using namespace finesync::workload;
namespace bench = finesync::bench;

}  // namespace

int main(int argc, char** argv) {
  constexpr run_config usual;
  bench::program program(
      "stream_k",
      "The steps of all tiles of a matrix product are split evenly over the blocks. The blocks of\n"
      "a tile that is cut add up their sums: the fix-up. The time of an operation is that of one\n"
      "product.");
  bench::axis threads = threads_per_block("threads per block, three columns each");
  threads.values = {usual.threads_per_block};
  const member_axes<run_config> axes{
      {bench::axis{.name = "tiles",
                   .help = "tiles of the product",
                   .values = {usual.tiles},
                   .min = 1,
                   .max = 4096,
                   .unit = "tiles"},
       &run_config::tiles},
      {bench::axis{.name = "depth",
                   .help = "steps of a tile",
                   .values = {usual.depth},
                   .min = 1,
                   .max = 65536,
                   .unit = "steps"},
       &run_config::depth},
      {tbs_per_sm(), &run_config::blocks_per_sm},
      {threads, &run_config::threads_per_block},
      {rounds("products per run", usual.rounds, 1000), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_fixups(), filled_by(axes));
  return program.run(argc, argv);
}
