// What reset() forgets: all of it. Of every owner of the library the memory is overwritten, as a
// run that is broken off may leave anything there; after a reset it is as it was at first, byte by
// byte, and the next use is right, by another number of participants than the last.
#include <finesync/barriers/team_barrier.cuh>
#include <finesync/conflict_free/group_rounds.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/fast/channel.cuh>
#include <finesync/server/lending/nested_server_pool.cuh>
#include <finesync/server/partition/balanced.cuh>
#include <finesync/server/reply.cuh>
#include <finesync/server/server_pool.cuh>
#include <finesync/server/single/single_server.cuh>
#include <finesync/several_gpus/every_block_crosses.cuh>
#include <finesync/several_gpus/gpus_barrier.cuh>
#include <finesync/several_gpus/gpus_cohort_lock.cuh>
#include <finesync/several_gpus/gpus_event_counts.cuh>
#include <finesync/several_gpus/gpus_lock.cuh>
#include <finesync/several_gpus/gpus_lock_table.cuh>
#include <finesync/several_gpus/gpus_queue_lock.cuh>
#include <finesync/several_gpus/gpus_server_pool.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>
#include <finesync/several_gpus/grid_cross_grid.cuh>
#include <workloads/printed/server/basic/channel.cuh>
#include <workloads/printed/server/paper/channel.cuh>
#include <workloads/printed/server/paper_lending/paper_nested_server_pool.cuh>

#include <tests/catalogue/barriers.hpp>
#include <tests/catalogue/events.hpp>
#include <tests/catalogue/locks.hpp>
#include <tests/catalogue/queues.hpp>
#include <tests/catalogue/semaphores.hpp>
#include <tests/held_memory.hpp>
#include <tests/library/barriers/exchange.hpp>
#include <tests/library/events/hand_over.hpp>
#include <tests/library/locks/counter_kernels.cuh>
#include <tests/library/queues/carry.cuh>
#include <tests/library/semaphores/load_kernels.cuh>
#include <tests/library/server/pair_counts.hpp>

#include <cstring>

namespace finesync::test {
namespace {

/// \param use says whether a use was right; its second argument is another one each time.
template <class Make, class Use>
void expect_forgotten(const Make& make, const Use& use) {
  const auto before = memory_in_use();
  auto owner = make();
  const held_memory fresh(before);
  ASSERT_FALSE(fresh.empty());
  std::vector<char> members(sizeof owner);
  std::memcpy(members.data(), &owner, sizeof owner);
  for (const bool small : {false, true, false}) {
    EXPECT_TRUE(use(owner, small)) << (small ? "small" : "large");
    fresh.spoil(constants);
    owner.reset();
    EXPECT_EQ(fresh.difference(written_first), "");
    EXPECT_EQ(std::memcmp(members.data(), &owner, sizeof owner), 0);
  }
}

/// The same of an owner whose uses are tested elsewhere.
template <class Make>
void expect_forgotten(const Make& make) {
  expect_forgotten(make, [](auto&, bool) { return true; });
}

template <class Lock>
class reset_of_lock : public ::testing::Test {};
TYPED_TEST_SUITE(reset_of_lock, test_types_locks, test_types_locks_names);

TYPED_TEST(reset_of_lock, forgets_all) {
  constexpr lock_load large{.blocks = 2, .threads_per_block = 36, .locks = 3};
  constexpr lock_load small{.blocks = 3, .threads_per_block = 9, .locks = 2, .rounds = 3};
  expect_forgotten([&]() -> lock_table<TypeParam> { return locks_for<TypeParam>(large); },
                   [&](auto& locks, bool few) { return counts_right(locks, few ? small : large); });
}

template <class Barrier>
class reset_of_barrier : public ::testing::Test {};
TYPED_TEST_SUITE(reset_of_barrier, test_types_barriers, test_types_barriers_names);

TYPED_TEST(reset_of_barrier, forgets_all) {
  constexpr exchange_config large{.rounds = 3};
  constexpr exchange_config small{.blocks = 3, .threads_per_block = 33};
  expect_forgotten(
      [&] { return TypeParam(large.shape()); },
      [&](auto& one, bool few) { return run_exchange(few ? small : large, one).right(); });
}

template <class Semaphore>
class reset_of_semaphore : public ::testing::Test {};
TYPED_TEST_SUITE(reset_of_semaphore, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(reset_of_semaphore, forgets_all) {
  expect_forgotten([] { return TypeParam(3); },
                   [](auto& one, bool few) {
                     return serves_all(one, {.blocks = few ? 2u : 4u, .threads_per_block = 5});
                   });
}

template <class Queue>
class reset_of_queue : public ::testing::Test {};
TYPED_TEST_SUITE(reset_of_queue, test_types_queues, test_types_queues_names);

TYPED_TEST(reset_of_queue, forgets_all) {
  expect_forgotten([] { return TypeParam(std::max(64u, least_capacity<TypeParam>)); },
                   [](auto& queue, bool few) {
                     return few ? arrives<1>(queue, {})
                                : arrives<4>(queue, {.producers = 2, .consumers = 2, .warps = 2});
                   });
}

template <class Events>
class reset_of_events : public ::testing::Test {};
TYPED_TEST_SUITE(reset_of_events, test_types_events, test_types_events_names);

TYPED_TEST(reset_of_events, forgets_all) {
  expect_forgotten([] { return event_rounds<TypeParam>(4, 3); });
  hand_over_plan plan{.blocks = 3, .producers = 2, .first_consumer = 1};
  expect_forgotten([&] { return events_both_ways<TypeParam>(plan); },
                   [&](auto& events, bool few) {
                     plan.threads_per_block = few ? 5 : 34;
                     return hands_over(events, plan);
                   });
}

TEST(reset, forgets_all_of_what_waits_within_a_gpu) {
  expect_forgotten([] { return event_words<>(2, 100); });
  expect_forgotten([] { return team_barrier(3); });
  expect_forgotten([] { return group_rounds<>(4); });
  expect_forgotten([] { return l2_lines(3); });
  expect_forgotten([] { return watchdog(); });
}

struct no_calls {
  using datum = std::uint32_t;
  static constexpr datum empty = ~0u;
  struct call {
    std::uint32_t lower, higher;
  };
  __device__ call unpacked(std::uint64_t) const { return {}; }
  __device__ std::uint32_t operator()(datum&, datum&, const call&) const { return 0; }
};

TEST(reset, forgets_all_of_servers) {
  constexpr server_config config{.servers = 2, .clients = 2, .ring = 32};
  using number = std::uint32_t;
  using execution = run_each<tas_lock<scope::block>>;
  expect_forgotten([&] { return server_pool<basic_channel<number>, execution>(config); });
  expect_forgotten([&] { return server_pool<paper_channel<number>, execution>(config); });
  expect_forgotten(
      [&] { return server_pool<fast_channel<number>, execution, balanced_partition>(config); });
  expect_forgotten([] { return reply_slots<number>(9); });
  expect_forgotten([] { return single_server<no_calls>({.client_blocks = 3}); });
  expect_forgotten([] {
    using protocol = nested_protocol<number, data_placement::messages>;
    return nested_server_pool<pair_counts, protocol>({.servers = 2, .keys = 3});
  });
  expect_forgotten([] { return paper_nested_server_pool<pair_counts>(paper_nested_config{}); });
}

TEST(reset, forgets_all_of_several_gpus) {
  const peers all(2);
  constexpr launch_shape shape{.blocks = 3, .threads_per_block = 4};
  using word_of_all = std::uint32_t;
  expect_forgotten([&] { return gpus_watchdog(all); });
  expect_forgotten([&] { return symmetric_memory(all, 9); });
  expect_forgotten([&] { return gpus_barrier(all, shape); });
  expect_forgotten([&] { return every_block_crosses_barrier<>(all, shape); });
  expect_forgotten([&] { return grid_cross_grid_barrier<autotuned_barrier>(all, shape); });
  expect_forgotten([&] { return gpus_lock<gpus_array_lock>(all); });
  expect_forgotten([&] { return gpus_lock<gpus_cohort_value_passing_lock>(all, 3u); });
  expect_forgotten(
      [&] { return gpus_lock_table<tas_lock<scope::system>>(all, 5, lock_layout::padded); });
  expect_forgotten([&] { return gpus_event_counts<>(all, 3); });
  expect_forgotten([&] {
    return gpus_server_pool<gpus_fast_channel<word_of_all>, run_each<tas_lock<scope::block>>>(
        all, {.servers = 2, .clients = 2, .ring = 32, .gpus = 2});
  });
}

}  // namespace
}  // namespace finesync::test
