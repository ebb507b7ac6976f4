// Sorting a batch: whatever its keys, every request is in its queue exactly once.
#include "batch_kernels.cuh"

#include <tests/library/harness/harness.hpp>
#include <tests/on_gpu.hpp>

namespace finesync::test::queues_test {
namespace {

/// Request i belongs to some queue, or all of them to one. The entry is i.
template <class Entry>
struct spread {
  std::uint32_t queues;
  bool to_one;

  std::uint32_t queue_of(std::uint32_t i) const {
    return to_one ? queues / 2 : (i * 2654435761u >> 8) % queues;
  }
  keyed_entry<Entry> operator()(std::uint32_t i) const { return {queue_of(i), Entry{i}}; }
};

template <class Entry>
bool is_sorted(const batch_queues<Entry>& sorted, const spread<Entry>& requests,
               std::uint32_t number) {
  std::vector<std::vector<Entry>> expected(requests.queues);
  for (std::uint32_t i = 0; i < number; ++i) expected[requests.queue_of(i)].push_back(i);
  auto found = queues_on_host(sorted);
  for (auto& queue : found) std::sort(queue.begin(), queue.end());
  return found == expected;
}

struct batch {
  std::uint32_t queues = 9;
  std::uint32_t requests = 150;
  bool to_one = false;
  std::uint32_t word_stride = 1;
};

template <class Adding, class Entry = std::uint32_t>
bool sorts_right(const batch& of, const launch_shape& shape = {2, 36}) {
  const spread<Entry> requests{of.queues, of.to_one};
  batch_queues<Entry> queues(of.queues, of.requests, of.word_stride);
  for (const std::uint32_t number : {of.requests, of.requests / 2}) {  // two consecutive batches
    queues.template sort<Adding>(requests, number, shape);
    if (!is_sorted(queues, requests, number)) return false;
  }
  return true;
}

template <class Adding>
unsigned failing(const batch& of, simt::memory_kind memory, unsigned seeds,
                 races verdict = races::fail) {
  return failing_seeds(
      memory, seeds, [&] { return sorts_right<Adding>(of); }, verdict);
}

template <class Adding>
class batches : public ::testing::Test {};
using addings = ::testing::Types<atomic_per_request, atomic_per_warp, block_histogram, tile_sort>;
TYPED_TEST_SUITE(batches, addings);

const unsigned seeds = seed_budget(100);  // of each memory mode and batch

TYPED_TEST(batches, are_sorted_whatever_their_keys) {
  for (const auto memory : {strong, weak}) {
    EXPECT_EQ(failing<TypeParam>({}, memory, seeds), 0u);
    EXPECT_EQ(failing<TypeParam>({.to_one = true}, memory, seeds), 0u);
    EXPECT_EQ(failing<TypeParam>({.requests = 0}, memory, 2), 0u);
    EXPECT_EQ(failing<TypeParam>({.queues = 1, .requests = 1}, memory, 2), 0u);
  }
}

TYPED_TEST(batches, may_have_more_queues_than_a_block_scans) {
  const batch many{.queues = 4500, .requests = 6000, .word_stride = 3};
  EXPECT_TRUE(sorts_right<TypeParam>(many, {4, 64}));
  EXPECT_TRUE((sorts_right<TypeParam, std::uint64_t>(many, {4, 64})));
}

TEST(batches, may_have_more_tiles_than_blocks) {
  const auto right = [] {
    return sorts_right<tile_sort>({.queues = 40, .requests = 1700}, {2, 32});
  };
  expect_right_in_any_memory(seed_budget(40), right);
}

// A tile of 1,024 threads needs 61,440 bytes.
TEST(batches, have_tiles_that_fit) {
  const simt::scoped_settings scoped(on_gpu("gtx1080ti"));
  EXPECT_TRUE((sorts_right<tile_sort, std::uint64_t>({.queues = 40, .requests = 9000}, {2, 1024})));
  EXPECT_FALSE(batch_queues<std::uint64_t>(6000, 1).has_room_for_tiles());
}

TEST(batches, choose_a_grid_themselves_and_refuse_what_is_too_large) {
  const spread<std::uint32_t> requests{5, false};
  batch_queues<std::uint32_t> queues(5, 3000);
  queues.sort(requests, 3000);
  EXPECT_TRUE(is_sorted(queues, requests, 3000));
  EXPECT_THROW(queues.sort(requests, 3001), std::length_error);
}

/// Two requests of a queue may get the same place.
struct in_two_steps {
  static std::uint32_t add(cell<std::uint32_t>& word, std::uint32_t /*queue*/) {
    const atomic_ref<std::uint32_t, scope::device> of(word);
    const std::uint32_t before = of.load(memory_order::relaxed);
    of.store(before + 1, memory_order::relaxed);
    return before;
  }
};

/// Omits all lanes of a queue except the first.
struct leaders_alone {
  static std::uint32_t add(cell<std::uint32_t>& word, std::uint32_t queue) {
    const auto same = lane_group::with_same(queue);
    if (same.is_leader()) return atomic_per_request::add(word, queue);
    return atomic_ref<std::uint32_t, scope::device>(word).load(memory_order::relaxed);
  }
};

TEST(broken_batches, are_rejected) {
  EXPECT_GT(failing<in_two_steps>({.to_one = true}, strong, 10, races::pass), 0u);
  EXPECT_GT(failing<leaders_alone>({.to_one = true}, strong, 10, races::pass), 0u);
}

}  // namespace
}  // namespace finesync::test::queues_test
