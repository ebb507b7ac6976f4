// What functions that verify decide by, one number at a time: what no change of one word of a run
// tells apart, as several of them meet there.
#include <workloads/atm/bank.hpp>
#include <workloads/ht/counters.hpp>
#include <workloads/ht/table.hpp>
#include <workloads/mutex/counted_words.hpp>
#include <workloads/queue/carried_items.hpp>
#include <workloads/semaphore/table.hpp>
#include <workloads/sgd/data_set.hpp>
#include <workloads/sgd/model.hpp>
#include <workloads/sgd/step.cuh>

#include <gtest/gtest.h>
#include <tests/suite/sgd/small.hpp>
#include <tests/suite/verifiers/allocations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace finesync {
namespace {

/// A right result passes; none does with any one of its numbers one smaller or larger.
template <class Number, class Passes>
void expect_all_decide(std::vector<Number> result, Passes passes) {
  EXPECT_TRUE(passes(result));
  for (Number& each : result)
    for (const Number other : {each - 1, each + 1}) {
      const Number right = std::exchange(each, other);
      EXPECT_FALSE(passes(result)) << &each - result.data() << ": " << other << ", not " << right;
      each = right;
    }
}

TEST(lists_of_two_gpus, are_counted_wherever_they_are) {
  const std::vector<ht::table_check> parts(2);
  for (std::size_t entry = 0; entry < 3; ++entry) {
    std::vector<std::vector<std::uint32_t>> heads(2, {ht::no_node, ht::no_node, ht::no_node});
    heads[0][entry] = 1;
    EXPECT_EQ(ht::table_check::of_parts(parts, heads).misplaced, 0u);
    heads[1][entry] = 2;
    EXPECT_EQ(ht::table_check::of_parts(parts, heads).misplaced, 1u);
  }
}

using longs = std::vector<std::uint64_t>;
using words = std::vector<std::uint32_t>;

// Criteria that a change of one word of a run meets together: each by itself.
TEST(criteria, decide_each_by_itself) {
  constexpr ht::problem inserts{.collision_factor = 32, .inserts = 9, .table_size = 16};
  expect_all_decide(longs{9, 0, 0}, [&](const longs& all) {
    return ht::table_check{all[0], all[1], all[2]}.passed(inserts);
  });
  expect_all_decide(longs{9, 0, 0}, [&](const longs& all) {
    return ht::counters_check{all[0], all[1], all[2]}.passed(inserts);
  });
  expect_all_decide(longs{5, 5, 5},
                    [](const longs& all) { return mutex::verify_rounds(all, 5).ok(); });
  expect_all_decide(words{7, 7, 7},
                    [](const words& all) { return mutex::verify_counts(all, 7).ok(); });
  semaphore::run_record record{{}, {}, 0, 0, true};
  expect_all_decide(longs{4, 4, 4}, [&](const longs& all) {
    record.readers = {all[0], all[1]};
    record.writers = {all[2]};
    return semaphore::verify_rounds(record, 4).ok();
  });
  expect_all_decide(words{0, 0}, [&](const words& all) {
    record.torn = all[0];
    record.overfull = all[1];
    return semaphore::verify_sections(record).ok();
  });
  record.consistent = false;
  EXPECT_FALSE(semaphore::verify_sections(record).ok());
  expect_all_decide(words{6, 148, 152, 150}, [](const words& all) {
    const std::vector<words> moved{{~0u, 1, 0}, {~0u, 1, 0}};
    return atm::bank::check({.accounts = 3, .transfers = 6}, all[0], moved,
                            std::span(all).subspan(1))
        .ok();
  });
  const std::vector<words> overdrawn(1, words{~150u});
  EXPECT_FALSE(atm::bank::check({.accounts = 1, .transfers = 1}, 1, overdrawn, words{~0u}).ok());
}

TEST(carried_items, decide_by_each_of_their_words) {
  queue::carried_items seen(2, 4);
  auto* const threads = reinterpret_cast<queue::items_of_thread*>(seen.traced().of_threads);
  auto* const tickets_of_items = reinterpret_cast<std::uint32_t*>(seen.traced().tickets);
  expect_all_decide(longs{10, 5, 4, 2, 0, 0}, [&](const longs& all) {
    for (std::size_t i = 0; i < 2; ++i)
      threads[i] = {all[i], static_cast<std::uint32_t>(all[2 + i]),
                    static_cast<std::uint32_t>(all[4 + i])};
    return seen.verify(6).ok();
  });
  const auto in_order = [&](const words& tickets) {
    std::ranges::copy(tickets, tickets_of_items);
    return seen.verify_order(2).ok();
  };
  for (const words& right : {words{1, 2, 3, 4}, words{3, 4, 1, 2}}) EXPECT_TRUE(in_order(right));
  for (const words& wrong :
       {words{0, 2, 3, 4}, words{1, 2, 0, 4}, words{1, 2, 3, 0}, words{2, 1, 3, 4},
        words{1, 2, 4, 3}, words{1, 1, 3, 4}, words{1, 2, 3, 3}})
    EXPECT_FALSE(in_order(wrong));
}

// Users have 20 ratings each, movies 24.
TEST(vectors, decide_by_each_of_their_features) {
  constexpr unsigned all = 11 * 16;
  sgd::model<16> tested(sgd::data_set_of(sgd::crowded().problem), 10);
  float* features = nullptr;
  for (const test::allocation& each : test::allocations())
    if (each.bytes == all * sizeof(float)) features = reinterpret_cast<float*>(each.begin);
  const auto expect_decisive = [&](unsigned first, auto change, auto number_of_wrong) {
    EXPECT_EQ(number_of_wrong(), 0u);
    for (unsigned i = 0; i < all; ++i) {
      if (i % 16 < first) continue;
      const float right = std::exchange(features[i], change(features[i]));
      EXPECT_EQ(number_of_wrong(), 1u) << i;
      features[i] = right;
    }
  };
  tested.begin_counting();
  EXPECT_EQ(tested.miscounted(1), 11u);
  expect_decisive(
      0, [](float) { return 1.0f; }, [&] { return tested.miscounted(0); });
  tested.begin_learning();
  expect_decisive(
      10, [](float) { return 1.0f; }, [&] { return tested.padded_otherwise(); });
  tested.begin_shrinking();
  for (unsigned i = 0; i < all; ++i)
    features[i] *= static_cast<float>(std::pow(sgd::decay, i < 6 * 16 ? 20 : 24));
  expect_decisive(
      0, [](float right) { return right == 0 ? 1.0f : right * sgd::decay; },
      [&] { return tested.shrunk_otherwise(); });
}

}  // namespace
}  // namespace finesync
