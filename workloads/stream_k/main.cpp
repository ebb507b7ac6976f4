// stream_k: products whose tiles are cut; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/stream_k/fixups.hpp>

int main(int argc, char** argv) {
  using namespace finesync::stream_k;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  constexpr run_config usual;
  bench::program program(
      "stream_k",
      "The steps of all tiles of a matrix product are split evenly over the blocks. The blocks of\n"
      "a tile that is cut add up their sums: the fix-up. The time of an operation is that of one\n"
      "product.");
  const member_axes<run_config> axes{
      {number("tiles", "tiles of the product", usual.tiles, {1, 4096}, "tiles"),
       &run_config::tiles},
      {number("depth", "steps of a tile", bench::runs_on_gpu() ? usual.depth : 64, {1, 65536},
              "steps"),
       &run_config::depth},
      {tbs_per_sm(), &run_config::blocks_per_sm},
      {threads_per_block(usual.threads_per_block, "threads per block, three columns each"),
       &run_config::threads_per_block},
      {rounds("products per run", bench::runs_on_gpu() ? usual.rounds : 1, 1000),
       &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_fixups(), filled_by(axes));
  return program.run(argc, argv);
}
