// Grids that a command line leaves open.
#include <simt/settings.hpp>
#include <workloads/common/primitives.hpp>

#include <gtest/gtest.h>

namespace finesync::workload {
namespace {

struct config {};

catalogue_entry<config> entry_with(unsigned threads, unsigned blocks) {
  return {"name", "help", nullptr, {}, {{"threads-per-block", threads}, {"tbs-per-sm", blocks}}};
}

bench::point asked_for(long long threads, long long blocks) {
  return {"name", {{"threads-per-block", threads}, {"tbs-per-sm", blocks}}};
}

TEST(grid, defaults_fit_every_gpu_model) {
  for (const simt::gpu_model& model : simt::gpu_models()) {
    simt::settings on_model;
    on_model.gpu = model;
    const simt::scoped_settings scoped(on_model);
    for (const unsigned threads : {1u, 8u, 33u, 256u, 384u, 1024u}) {
      for (const unsigned blocks : {0u, 1u, 4u, 32u}) {
        const grid_of_point grid =
            grid_or_default(asked_for(0, 0), entry_with(threads, blocks), 64, 2);
        EXPECT_GE(grid.threads_per_block, 1u);
        EXPECT_LE(grid.threads_per_block, threads);
        EXPECT_LE(static_cast<int>(grid.blocks_per_sm),
                  model.blocks_per_sm(static_cast<int>(grid.threads_per_block), 0))
            << model.name << ": " << blocks << " blocks of " << threads;
      }
    }
  }
}

TEST(grid, defaults_that_fit_and_what_is_asked_for_stay) {
  const grid_of_point open = grid_or_default(asked_for(0, 0), entry_with(256, 2), 64);
  EXPECT_EQ(open.threads_per_block, 256u);
  EXPECT_EQ(open.blocks_per_sm, 2u);
  const grid_of_point asked = grid_or_default(asked_for(1024, 16), entry_with(256, 2), 64);
  EXPECT_EQ(asked.threads_per_block, 1024u);
  EXPECT_EQ(asked.blocks_per_sm, 16u);
  const catalogue_entry<config> plain = {"name", "help", nullptr};
  const grid_of_point of_program = grid_or_default(asked_for(0, 0), plain, 64, 3);
  EXPECT_EQ(of_program.threads_per_block, 64u);
  EXPECT_EQ(of_program.blocks_per_sm, 3u);
}

}  // namespace
}  // namespace finesync::workload
