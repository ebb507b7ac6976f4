// Grids and members that a command line leaves open.
#include <simt/settings.hpp>
#include <workloads/common/member_axes.hpp>

#include <gtest/gtest.h>

namespace finesync::workload {
namespace {

struct config {
  unsigned threads_per_block = 0, blocks_per_sm = 0;
};

catalogue_entry<config> entry_with(unsigned threads, unsigned blocks) {
  return {"name", "help", nullptr, {}, {{"threads-per-block", threads}, {"tbs-per-sm", blocks}}};
}

bench::point asked_for(long long threads, long long blocks) {
  return {"name", {{"threads-per-block", threads}, {"tbs-per-sm", blocks}}};
}

/// \param threads, blocks the program's defaults.
config grid_of(const bench::point& point, const catalogue_entry<config>& entry, unsigned threads,
               unsigned blocks = 0) {
  return filled_by(member_axes<config>{
      {threads_per_block_or_auto("", {}), &config::threads_per_block, threads},
      {tbs_per_sm_or_auto("", {}), &config::blocks_per_sm, blocks}})(point, entry);
}

TEST(grid, defaults_fit_every_gpu_model) {
  for (const simt::gpu_model& model : simt::gpu_models()) {
    simt::settings on_model;
    on_model.gpu = model;
    const simt::scoped_settings scoped(on_model);
    for (const unsigned threads : {1u, 8u, 33u, 256u, 384u, 1024u}) {
      for (const unsigned blocks : {0u, 1u, 4u, 32u}) {
        const config grid = grid_of(asked_for(0, 0), entry_with(threads, blocks), 64, 2);
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
  const config open = grid_of(asked_for(0, 0), entry_with(256, 2), 64);
  EXPECT_EQ(open.threads_per_block, 256u);
  EXPECT_EQ(open.blocks_per_sm, 2u);
  const config asked = grid_of(asked_for(1024, 16), entry_with(256, 2), 64);
  EXPECT_EQ(asked.threads_per_block, 1024u);
  EXPECT_EQ(asked.blocks_per_sm, 16u);
  const catalogue_entry<config> plain = {"name", "help", nullptr};
  const config of_program = grid_of(asked_for(0, 0), plain, 64, 3);
  EXPECT_EQ(of_program.threads_per_block, 64u);
  EXPECT_EQ(of_program.blocks_per_sm, 3u);
}

struct server_config {
  unsigned ring = 1, batch = 2, look = 3;
  bool ring_is_open = false;
};

TEST(member_axes, fill_with_the_value_else_the_default_of_the_entry_else_that_of_the_program) {
  const auto filled = filled_by(
      member_axes<server_config>{{number_or_auto("ring", "", 64),
                                  [](server_config& config, unsigned ring) {
                                    (ring == 0 ? config.look : config.ring) = ring;
                                  }},
                                 {number_or_auto("batch", "", 64), &server_config::batch, 5},
                                 {yes_or_no("open", ""), &server_config::ring_is_open}});
  const catalogue_entry<server_config> with_ring = {"", "", nullptr, {}, {{"ring", 7u}}};
  const catalogue_entry<server_config> plain = {"", "", nullptr};
  const auto values = [&](long long ring, long long batch, const auto& entry) {
    const server_config made = filled({"", {{"ring", ring}, {"batch", batch}}}, entry);
    return std::vector<unsigned>{made.ring, made.batch, made.look, made.ring_is_open};
  };
  using list = std::vector<unsigned>;
  EXPECT_EQ(values(9, 4, with_ring), (list{9, 4, 3, 0}));
  EXPECT_EQ(values(0, 0, with_ring), (list{7, 5, 0, 0}));  // "auto", then the default
  EXPECT_EQ(values(0, 0, plain), (list{1, 5, 0, 0}));
  const server_config absent = filled({"", {{"open", 1}}}, with_ring);
  EXPECT_EQ((list{absent.ring, absent.batch, absent.look, absent.ring_is_open}),
            (list{7, 5, 3, 1}));
}

}  // namespace
}  // namespace finesync::workload
