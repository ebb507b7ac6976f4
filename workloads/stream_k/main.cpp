// stream_k: products whose tiles are cut; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/stream_k/fixups.hpp>

namespace {

using namespace finesync::stream_k;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.tiles = value("tiles"),
          .depth = value("depth"),
          .threads_per_block = value("threads-per-block"),
          .blocks_per_sm = value("tbs-per-sm"),
          .rounds = value("rounds")};
}

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
  program
      .axis({.name = "tiles",
             .help = "tiles of the product",
             .values = {usual.tiles},
             .min = 1,
             .max = 4096,
             .unit = "tiles"})
      .axis({.name = "depth",
             .help = "steps of a tile",
             .values = {usual.depth},
             .min = 1,
             .max = 65536,
             .unit = "steps"})
      .axis(tbs_per_sm())
      .axis(threads)
      .axis(rounds("products per run", usual.rounds, 1000));
  add<run_config>(program, all_fixups(), run_config_of);
  return program.run(argc, argv);
}
