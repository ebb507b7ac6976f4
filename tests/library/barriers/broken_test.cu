// The check of the correct barriers must reject each of the broken ones.
#include "broken_barriers.hpp"
#include "exchange.hpp"

namespace finesync::test::broken_test {
namespace {

constexpr unsigned seeds = 100;
// On four SMs: some have one block, others several.
constexpr exchange_config uneven{.blocks = 6, .threads_per_block = 7, .stores = 4};
// The shortest path between two blocks, where a flag is most likely to overtake other stores.
constexpr exchange_config neighbours{.blocks = 3, .threads_per_block = 3, .stores = 12};

/// Number of schedules with wrong words, not merely endless waits.
template <class Barrier>
unsigned failing(simt::memory_kind memory, unsigned many = seeds) {
  const auto right_on_four_sms = [] { return run_exchange<Barrier>(uneven).nothing_wrong; };
  const auto right_on_one_sm = [] {
    simt::settings how = simt::current_settings();
    how.gpu.sms = 1;
    simt::scoped_settings scoped(how);
    return run_exchange<Barrier>(neighbours).nothing_wrong;
  };
  const unsigned on_four_sms = failing_seeds(memory, many, right_on_four_sms, races::pass);
  if (on_four_sms != 0) return on_four_sms;
  return failing_seeds(memory, many, right_on_one_sm, races::pass);
}

/// Three blocks on each of four SMs, where followers and leaders race each other.
template <class Barrier>
unsigned failing_or_hanging() {
  return failing_twin_seeds(strong, seeds, [] {
    return run_exchange<Barrier>({.blocks = 12, .threads_per_block = 1, .rounds = 5}).right();
  });
}

/// Of a few seeds in strong memory, the number with a race, whatever their result.
template <class Barrier>
unsigned racing() {
  return racing_seeds(5, [] { return run_exchange<Barrier>(uneven).right(); });
}

template <class Fences>
void expect_rejected_in_weak_memory() {
  using trees = trees_with<Fences>;
  EXPECT_GT(failing<typename trees::atomic>(weak), 0u);
  EXPECT_GT(failing<typename trees::reversing>(weak), 0u);
  EXPECT_GT(failing<typename trees::lock_free>(weak), 0u);
  EXPECT_GT(failing<typename trees::reversing_printed>(weak), 0u);
  EXPECT_GT(failing<typename trees::lock_free_printed>(weak), 0u);
}

/// Those whose leaders have a fence at each arrival beside.
template <class Fences>
void expect_all_rejected_in_weak_memory() {
  using trees = trees_with<Fences>;
  expect_rejected_in_weak_memory<Fences>();
  EXPECT_GT(failing<typename trees::atomic_printed>(weak), 0u);
  EXPECT_GT(failing<typename trees::reversing_static_printed>(weak), 0u);
}

TEST(broken, no_barrier_is_rejected) {
  EXPECT_GT(failing<no_barrier>(strong), 0u);
}

TEST(broken, arrival_without_release_is_rejected) {
  expect_all_rejected_in_weak_memory<without_release>();
}

TEST(broken, leaders_that_release_before_their_fence_are_rejected) {
  expect_rejected_in_weak_memory<released_before_the_fence>();
}

TEST(broken, departure_without_acquire_is_rejected) {
  expect_all_rejected_in_weak_memory<without_acquire>();
}

TEST(broken, fences_of_the_block_are_rejected) {
  expect_all_rejected_in_weak_memory<fences_of_the_block>();
}

TEST(broken, sense_that_is_reversed_before_its_leader_is_named_is_rejected) {
  EXPECT_GT(failing_or_hanging<listing_3_1>(), 0u);
  EXPECT_EQ(failing_or_hanging<sense_reversing_printed_barrier<>>(), 0u);
}

template <class Fences>
void expect_counters_rejected_in_weak_memory() {
  using counters = counters_with<Fences>;
  EXPECT_GT(failing<typename counters::flat_counters>(weak), 0u);
  EXPECT_GT(failing<typename counters::sm_counters>(weak), 0u);
  EXPECT_GT(failing<typename counters::gather_broadcast>(weak), 0u);
}

TEST(broken, counters_without_release_are_rejected) {
  expect_counters_rejected_in_weak_memory<added_without_release>();
}

TEST(broken, counters_without_acquire_are_rejected) {
  expect_counters_rejected_in_weak_memory<looked_without_acquire>();
}

TEST(broken, counters_with_fences_of_the_block_are_rejected) {
  expect_counters_rejected_in_weak_memory<counter_fences_of_the_block>();
}

TEST(broken, a_counter_that_lacks_an_order_is_rejected) {
  EXPECT_GT(failing<cutlass_added_relaxed>(weak), 0u);
  EXPECT_GT(failing<cutlass_polled_relaxed>(weak), 0u);
}

TEST(broken, blocks_that_release_nothing_to_their_cluster_are_rejected) {
  for (const unsigned cluster_blocks : {2u, 4u}) {
    const exchange_config config{
        .blocks = 4, .threads_per_block = 7, .stores = 4, .cluster_blocks = cluster_blocks};
    const auto lost = [&](auto run) {
      return failing_seeds(weak, seeds, [&] { return run(config).nothing_wrong; });
    };
    EXPECT_GT(lost([](auto& p) { return run_exchange<plain_cluster_barrier<false>>(p); }), 0u);
    EXPECT_EQ(lost([](auto& p) { return run_exchange<plain_cluster_barrier<true>>(p); }), 0u);
  }
}

TEST(broken, strong_memory_hides_what_only_weak_memory_shows) {
  EXPECT_EQ(failing<trees_with<without_release>::reversing>(strong), 0u);
}

template <class Barrier>
class racing_barrier : public ::testing::Test {};
using barriers_that_lack_an_order = ::testing::Types<
    no_barrier, trees_with<without_release>::atomic, trees_with<without_release>::reversing,
    trees_with<without_release>::lock_free, trees_with<without_acquire>::atomic,
    trees_with<without_acquire>::reversing, trees_with<without_acquire>::lock_free,
    trees_with<fences_of_the_block>::reversing, trees_with<without_release>::atomic_printed,
    trees_with<without_acquire>::atomic_printed, trees_with<without_release>::reversing_printed,
    trees_with<released_before_the_fence>::reversing_printed,
    trees_with<without_acquire>::reversing_printed,
    trees_with<released_before_the_fence>::reversing_static_printed,
    trees_with<released_before_the_fence>::lock_free_printed,
    trees_with<without_acquire>::lock_free_printed,
    counters_with<added_without_release>::flat_counters,
    counters_with<looked_without_acquire>::sm_counters,
    counters_with<counter_fences_of_the_block>::gather_broadcast, cutlass_added_relaxed,
    cutlass_polled_relaxed>;
TYPED_TEST_SUITE(racing_barrier, barriers_that_lack_an_order);

TYPED_TEST(racing_barrier, is_found_where_strong_memory_hides_it) {
  EXPECT_GT(racing<TypeParam>(), 0u);
}

TEST(broken, an_arrival_that_counts_twice_is_rejected) {
  EXPECT_GT((failing<flawed<arrives_twice, sense_reversing>>(strong)), 0u);
}

template <class Barrier>
class broken_tree : public ::testing::Test {};
TYPED_TEST_SUITE(broken_tree, test_types_on_sm_barriers, test_types_on_sm_barriers_names);

TYPED_TEST(broken_tree, that_releases_before_all_have_arrived_is_rejected) {
  EXPECT_GT((failing<flawed<releases_early, TypeParam>>(strong)), 0u);
  EXPECT_GT((failing<flawed<releases_its_sm_early, TypeParam>>(strong)), 0u);
}

TYPED_TEST(broken_tree, unbroken_passes) {
  EXPECT_EQ(failing<TypeParam>(weak, seed_budget(seeds)), 0u);
}

}  // namespace
}  // namespace finesync::test::broken_test
