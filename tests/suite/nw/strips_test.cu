// Strips that stream to each other: more strips than blocks, rows that wrap around in their rings,
// and neighbours in one cluster and in two. Broken variants must be rejected.
#include "small.hpp"

#include <finesync/dataflow/full_empty_channels.cuh>
#include <workloads/nw/strips/strips_experiment.cuh>
#include <workloads/nw/tiles/cell_threads.cuh>
#include <workloads/nw/tiles/tile_experiment.cuh>

#include <tests/rejection.hpp>

namespace finesync::nw {
namespace {

/// Rings that are soon full, and soon empty.
struct tight : small_sm {
  static constexpr unsigned inflow = 16;
  static constexpr unsigned room = inflow;
};
struct tight_polling_each_step : tight {
  static constexpr unsigned steps_per_poll = 1;
};

run_config of_size(unsigned rows, unsigned columns, unsigned cluster_blocks) {
  run_config config = small(rows, columns, 0);
  config.cluster_blocks = cluster_blocks;
  return config;
}

template <class Sizes>
bench::outcome ending_of(const run_config& config, unsigned seed, simt::memory_kind memory) {
  const simt::scoped_settings scoped(simt::random_schedule(seed, memory));
  strips_experiment<Sizes> strips(config);
  return workload::ending(strips);
}

template <class Sizes>
void expect_right(const run_config& config) {
  strips_experiment<Sizes> experiment(config);
  workload::expect_right(experiment);
}

template <class Sizes>
class strips : public ::testing::Test {};
using all_sizes = ::testing::Types<small_sm, tight, tight_polling_each_step>;
TYPED_TEST_SUITE(strips, all_sizes);

TYPED_TEST(strips, are_right_on_any_schedule_in_clusters_of_any_size) {
  for (unsigned seed = 0; seed < test::seed_budget(2); ++seed) {
    const auto memory = seed % 2 == 0 ? simt::memory_kind::weak : simt::memory_kind::strong;
    for (const unsigned cluster_blocks : {1, 2, 4}) {
      const bench::outcome ended =
          ending_of<TypeParam>(of_size(3 * 128 - 70, 100, cluster_blocks), seed, memory);
      ASSERT_TRUE(ended.ok()) << cluster_blocks << ", seed " << seed << ": " << ended.reason;
    }
  }
}

TYPED_TEST(strips, may_be_more_than_blocks) {
  for (const unsigned cluster_blocks : {1, 2}) {
    strips_experiment<TypeParam> experiment(of_size(4 * 128 + 5, 20, cluster_blocks));
    EXPECT_LE(std::get<long long>(experiment.effective_parameters().at("blocks")), 4);
    workload::expect_right(experiment);  // the words between clusters are restored
  }
}

TYPED_TEST(strips, that_wait_for_each_other_order_what_they_share) {
  simt::settings config;
  config.check = simt::checking::races;
  const simt::scoped_settings scoped(config);
  for (const unsigned cluster_blocks : {1, 4})
    expect_right<TypeParam>(of_size(200, 90, cluster_blocks));
}

/// Rings of four stages, with halves of two: more than the small GPU has memory for.
struct rings_of_four : tight {
  static constexpr unsigned stages = 4;
  static constexpr unsigned inflow = 32;
  static constexpr unsigned room = inflow;
};

bench::outcome ending_on_a_large_gpu(simt::settings config, unsigned cluster_blocks) {
  config.gpu = simt::find_gpu_model("h200");
  const simt::scoped_settings scoped(config);
  strips_experiment<rings_of_four> strips(of_size(300, 300, cluster_blocks));
  return workload::ending(strips);
}

TEST(strips_with_rings_of_four, are_right_on_any_schedule) {
  for (unsigned seed = 0; seed < test::seed_budget(2); ++seed) {
    const auto memory = seed % 2 == 0 ? simt::memory_kind::weak : simt::memory_kind::strong;
    for (const unsigned cluster_blocks : {1, 4}) {
      const bench::outcome ended =
          ending_on_a_large_gpu(simt::random_schedule(seed, memory), cluster_blocks);
      ASSERT_TRUE(ended.ok()) << cluster_blocks << ", seed " << seed << ": " << ended.reason;
    }
  }
}

TEST(strips_with_rings_of_four, are_right_when_a_warp_stands_aside) {
  for (std::uint64_t behind = 55'439; behind < 600'000;
       behind += test::daily_or_whole(149'997, 49'999)) {
    simt::settings config;
    config.preempted = {.after_turn = behind, .length = 4'000'000};
    const bench::outcome ended = ending_on_a_large_gpu(config, 4);
    ASSERT_TRUE(ended.ok()) << behind << ": " << ended.reason;
  }
}

TEST(strip_sizes, of_a_large_gpu_are_right) {
  simt::settings config;
  config.gpu = simt::find_gpu_model("h200");
  const simt::scoped_settings scoped(config);
  expect_right<whole_sm>(of_size(200, 70, 1));
  expect_right<half_sm>(of_size(200, 70, 2));
}

/// A strip that does not wait for the strip to its north: it reads empty words, and runs ahead.
struct broken : tight {
  static bool is_empty(std::uint32_t) { return false; }
};
/// A strip that forwards more than there is room for, and overwrites unread words.
struct overflowing : tight {
  static constexpr unsigned room = 4 * inflow;
};
/// A strip that does not clear the words between clusters, so the next run takes them.
struct unrestored : tight {
  static constexpr std::uint32_t restored = 0;
};

/// Whether one of some seeds has a wrong result; an endless wait counts as one.
template <class Sizes>
bool is_rejected(const run_config& config, unsigned seeds = 6) {
  return test::is_rejected<strips_experiment<Sizes>>(seeds, config);
}

TEST(broken_strips, that_run_ahead_of_their_neighbour_are_rejected) {
  EXPECT_TRUE(is_rejected<broken>(of_size(300, 100, 1)));
  EXPECT_TRUE(is_rejected<broken>(of_size(300, 100, 4)));
}

/// One warp of the second block stalls, while the first block continues.
bool is_rejected_when_stalled(std::uint64_t behind) {
  simt::settings config;
  config.preempted = {.after_turn = behind, .length = 4'000'000};
  const simt::scoped_settings scoped(config);
  strips_experiment<overflowing> broken(of_size(250, 400, 2));
  return !test::ends_right([&] { return workload::ending(broken).ok(); });
}

TEST(broken_strips, that_overwrite_what_has_not_been_read_are_rejected) {
  bool is_rejected = false;
  for (std::uint64_t behind = 500; behind < 30'000 && !is_rejected; behind += 1'777)
    is_rejected = is_rejected_when_stalled(behind);
  EXPECT_TRUE(is_rejected);
}

TEST(broken_strips, that_do_not_restore_words_are_rejected_in_the_next_run) {
  strips_experiment<unrestored> experiment(of_size(300, 100, 1));
  workload::expect_right(experiment);
  experiment.launch();
  EXPECT_FALSE(experiment.verify().ok());
}

TEST(broken_strips, unbroken_pass) {
  EXPECT_FALSE(is_rejected<tight>(of_size(300, 100, 1), test::seed_budget(6)));
  EXPECT_FALSE(is_rejected<tight>(of_size(250, 400, 2), test::seed_budget(6)));
  strips_experiment<tight> experiment(of_size(300, 100, 1));
  workload::expect_right(experiment);
  experiment.launch();
  EXPECT_TRUE(experiment.verify().ok());
}

// Which launches a version with one for each diagonal of tiles makes.

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
