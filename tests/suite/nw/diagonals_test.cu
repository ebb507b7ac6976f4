// Which launches a version with one for each diagonal of tiles makes.
#include "small.hpp"

#include <finesync/dataflow/full_empty_channels.cuh>
#include <workloads/nw/tiles/cell_threads.cuh>
#include <workloads/nw/tiles/tile_experiment.cuh>

#include <gtest/gtest.h>

#include <vector>

namespace finesync::nw {
namespace {

/// Tiles of 7 x 7 cells by full/empty words; writes down how many each launch has.
class noted_tiles final : public diagonal_experiment {
  using tokens = shared_tokens<full_empty_channels>::of_tile<8>;

 public:
  explicit noted_tiles(const run_config& config) : diagonal_experiment(config, 7) {}

  std::vector<unsigned> started;

 protected:
  void start_tiles(const task& what, const tile_diagonal& diagonal) override {
    started.push_back(diagonal.tiles);
    launch_independent(fill_tiles_by_tokens<tokens>, shape_of(diagonal), what, diagonal, timeout());
  }
  launch_shape shape_of(const tile_diagonal& diagonal) const override {
    return {.blocks = diagonal.tiles,
            .threads_per_block = tokens::threads,
            .shared_bytes = tokens::bytes};
  }
};

using launches = std::vector<unsigned>;

TEST(diagonals, are_launched_in_turn_and_the_longest_is_measured_alone) {
  noted_tiles experiment(small(7 * 4, 7 * 2 + 1, 8));
  experiment.reset();
  experiment.launch();
  const launches all = {1, 2, 3, 3, 2, 1};
  EXPECT_EQ(experiment.started, all);
  EXPECT_TRUE(experiment.verify().ok());

  experiment.started.clear();
  experiment.measure();
  ASSERT_GT(experiment.started.size(), all.size());
  EXPECT_EQ(launches(experiment.started.begin(), experiment.started.begin() + 6), all);
  EXPECT_EQ(launches(experiment.started.begin() + 6, experiment.started.end()),
            launches(experiment.started.size() - 6, 3));
}

}  // namespace
}  // namespace finesync::nw
