// The fix-ups of products on the host executor: right on any schedule, and what the verification
// rejects.
#include <finesync/device/backoff.cuh>
#include <finesync/events/cutlass_events.cuh>
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <workloads/stream_k/fixups_makers.hpp>
#include <workloads/stream_k/product_experiment.cuh>

#include <tests/library/events/broken_events.hpp>
#include <tests/library/harness/harness.hpp>
#include <tests/primitives.hpp>

namespace finesync::stream_k {
namespace {

run_config small(unsigned tiles, unsigned depth) {
  return {.tiles = tiles, .depth = depth, .threads_per_block = 33, .rounds = 3};
}

class fixups : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};
INSTANTIATE_TEST_SUITE_P(, fixups, ::testing::ValuesIn(workload::runnable(all_fixups())),
                         workload::name_of_primitive);

TEST_P(fixups, are_right_wherever_tiles_are_cut) {
  for (const run_config& config : {small(1, 4), small(1, 9), small(2, 3), small(3, 8), small(7, 5)})
    test::expect_right_in_any_memory(
        test::seed_budget(5), [&] { return workload::ending(*GetParam().make(config)).ok(); });
}

TEST_P(fixups, leave_nothing_to_the_next_run) {
  workload::expect_nothing_left(*GetParam().make(small(3, 8)),
                                {{"'sums of blocks'", "stored before their event"}});
}

TEST_P(fixups, that_never_ran_are_rejected) {
  const auto one = GetParam().make(small(3, 8));
  ASSERT_TRUE(workload::ending(*one).ok());  // whose result must go
  one->reset();
  EXPECT_FALSE(test::ends_right([&] { return one->verify().ok(); }));
}

TEST(even_split, gives_each_step_to_one_block_and_names_the_blocks_of_each_tile) {
  for (unsigned tiles = 1; tiles < 8; ++tiles)
    for (unsigned depth = 1; depth < 8; ++depth)
      for (unsigned blocks = 1; blocks <= tiles * depth; ++blocks) {
        const even_split split{tiles, depth, blocks};
        std::vector<std::vector<unsigned>> blocks_of(tiles);
        unsigned next = tiles * depth;
        for (unsigned block = blocks; block-- > 0;) {
          const unsigned begin = split.begin_of(block);
          ASSERT_LT(begin, next);
          while (next > begin) {
            const piece own = split.piece_before(block, next);
            ASSERT_EQ(own.tile * depth + own.end, next);
            ASSERT_LT(own.begin, own.end);
            ASSERT_TRUE(own.first_block <= block && block <= own.last_block);
            blocks_of[own.tile].insert(blocks_of[own.tile].begin(), block);
            next -= own.steps();
          }
          ASSERT_EQ(next, begin);
        }
        for (unsigned tile = 0; tile < tiles; ++tile) {
          const piece own = split.piece_before(split.block_of(tile * depth), tile * depth + 1);
          ASSERT_EQ(own.first_block, blocks_of[tile].front());
          ASSERT_EQ(own.last_block, blocks_of[tile].back());
          ASSERT_EQ(blocks_of[tile].size(), own.last_block - own.first_block + 1);
        }
      }
}

// Each of two blocks has a whole tile and half of the one between them.
TEST(stream_k, tells_how_many_tiles_are_cut) {
  simt::settings settings;
  settings.gpu.sms = 2;
  const simt::scoped_settings scoped(settings);
  EXPECT_EQ(std::get<long long>(make_turns(small(3, 8))->effective_parameters().at("cut_tiles")),
            1);
  EXPECT_EQ(std::get<long long>(make_turns(small(4, 8))->effective_parameters().at("cut_tiles")),
            0);
}

TEST(stream_k, that_cannot_be_is_infeasible) {
  EXPECT_THROW(make_turns(small(1, 3)), bench::infeasible);  // fewer steps than blocks
  EXPECT_THROW(make_turns({.depth = 65536, .rounds = 1000}), bench::infeasible);
}

/// Takes and leaves it at once: several hold it.
template <class Lock>
struct no_lock : Lock {
  using Lock::Lock;
  __device__ bool try_enter(typename Lock::acquisition&) { return true; }
};
/// A producer's stores are not released.
struct no_release : event_fences {
  __device__ static void release() {}
};

template <class Fixup>
unsigned wrong(simt::memory_kind memory, unsigned seeds = 40) {
  return test::failing_twin_seeds(memory, seeds, [&] {
    product_experiment<Fixup> one(small(3, 8));
    return workload::ending(one).ok();
  });
}

TEST(stream_k, whose_blocks_add_at_the_same_time_is_rejected) {
  using right = ticket_lock<scope::device, no_backoff>;
  EXPECT_GT(wrong<under_lock<no_lock<right>>>(test::strong), 0u);
}
TEST(stream_k, whose_blocks_do_not_wait_is_rejected) {
  EXPECT_GT(wrong<in_turn<test::no_wait<cutlass_events>>>(test::strong), 0u);
  EXPECT_GT(wrong<after_event<test::no_wait<event_counts<>>>>(test::strong), 0u);
  EXPECT_GT(wrong<from_words<event_words<test::dead_tags>>>(test::strong), 0u);
}
TEST(stream_k, without_a_release_is_rejected) {
  using without = event_counts<event_waiters::one_warp, no_release>;
  EXPECT_GT(wrong<after_event<without>>(test::weak, 200), 0u);
}

}  // namespace
}  // namespace finesync::stream_k
