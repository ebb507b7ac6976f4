// Algorithms in which a thread stores and then looks at what another has stored. They need a
// sequentially consistent fence in between; one that releases and acquires lets the look overtake
// the store.
#include "litmus.hpp"

namespace simt_test::weak_fence_test {
namespace {

using enum memory_order;

constexpr unsigned rounds = 4;

/// Two raise a flag, and go in if the other one's is down (Dekker). Both may stay out.
template <memory_order Order>
__global__ void go_in_by_flags(cell32* flags, cell32* wrong) {
  const device_ref mine(flags[blockIdx.x * far]);
  const device_ref other(flags[(1 - blockIdx.x) * far]);
  const device_ref inside(flags[2 * far]);
  for (unsigned round = 0; round < rounds; ++round) {
    mine.store(1, relaxed);
    fence<Order, scope::device>();
    if (other.load(relaxed) == 0) {
      fence<acquire, scope::device>();
      if (inside.fetch_add(1, relaxed) != 0) *wrong = 1;
      inside.fetch_add(~0u, relaxed);
    }
    mine.store(0, release);
  }
}

template <memory_order Order>
bool both_are_in() {
  return goes_wrong(go_in_by_flags<Order>, two_blocks, 3 * far);
}

TEST(weak_fence, flags_of_two_exclude_them_if_the_fence_is_sequentially_consistent) {
  expect_nothing_breaks(both_are_in<seq_cst>);
  expect_only_weak_memory_breaks(both_are_in<acq_rel>);
}

/// The filter lock of two (Peterson): who comes last waits.
template <memory_order Order>
__global__ void take_turns(cell32* words, cell32* wrong) {
  const unsigned me = blockIdx.x;
  const device_ref mine(words[me * far]);
  const device_ref other(words[(1 - me) * far]);
  const device_ref last(words[2 * far]);
  const device_ref inside(words[3 * far]);
  for (unsigned round = 0; round < rounds; ++round) {
    mine.store(1, relaxed);
    fence<Order, scope::device>();
    last.exchange(me, acq_rel);
    fence<Order, scope::device>();
    while (other.load(acquire) == 1 && last.load(acquire) == me) {
    }
    if (inside.fetch_add(1, relaxed) != 0) *wrong = 1;
    inside.fetch_add(~0u, relaxed);
    mine.store(0, release);
  }
}

TEST(weak_fence, turns_of_two_exclude_them) {
  expect_nothing_breaks([] { return goes_wrong(take_turns<seq_cst>, two_blocks, 4 * far); });
}

/// A deque of tasks (Chase and Lev; N. M. Le et al., "Correct and Efficient Work-Stealing for Weak
/// Memory Models", PPoPP 2013): the owner takes at the bottom, others steal at the top.
template <memory_order Order>
__global__ void take_and_steal(cell32* words, cell32* wrong) {
  const device_ref top(words[0]);
  const device_ref bottom(words[far]);
  const auto take = [&](std::uint32_t task) {
    if (device_ref(words[(2 + task) * far]).fetch_add(1, relaxed) != 0) *wrong = 1;
  };
  if (blockIdx.x == 0) {
    bottom.store(3, release);
    for (unsigned round = 0; round < 3; ++round) {
      const std::uint32_t below = bottom.load(relaxed) - 1;
      bottom.store(below, relaxed);
      fence<Order, scope::device>();
      std::uint32_t first = top.load(relaxed);
      if (first < below) {
        take(below);
        continue;
      }
      if (first == below && top.compare_exchange(first, first + 1, acq_rel)) take(below);
      bottom.store(below + 1, relaxed);
      break;
    }
    return;
  }
  for (unsigned attempt = 0; attempt < 12; ++attempt) {
    std::uint32_t first = top.load(acquire);
    fence<Order, scope::device>();
    if (first < bottom.load(acquire) && top.compare_exchange(first, first + 1, acq_rel))
      take(first);
  }
}

constexpr unsigned deque_seeds = 2000;

template <memory_order Order>
bool a_task_is_done_twice() {
  return goes_wrong(take_and_steal<Order>, {.blocks = 3, .threads_per_block = 1}, 8 * far);
}

TEST(weak_fence, a_deque_hands_each_task_out_once) {
  EXPECT_EQ(wrong_seeds(deque_seeds, simt::memory_kind::weak, a_task_is_done_twice<seq_cst>), 0u);
  EXPECT_GT(wrong_seeds(deque_seeds, simt::memory_kind::weak, a_task_is_done_twice<acq_rel>), 0u);
}

}  // namespace
}  // namespace simt_test::weak_fence_test
