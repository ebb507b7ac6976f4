// Events without payload: a block that waits sees what all producers wrote before they arrived.
#include "hand_over.hpp"

#include <finesync/events/event_count.cuh>

#include <tests/catalogue/events.hpp>
#include <tests/held_memory.hpp>

namespace finesync::test::event_counts_test {
namespace {

const hand_over_plan one_to_one{.blocks = 2, .producers = 1, .first_consumer = 1};
const hand_over_plan one_to_many{.blocks = 4, .producers = 1, .first_consumer = 1};
const hand_over_plan many_to_one{.blocks = 4, .producers = 3, .first_consumer = 3};
const hand_over_plan some_to_all{.blocks = 3, .producers = 2, .first_consumer = 0};
const hand_over_plan all_to_all{.blocks = 3, .producers = 3, .first_consumer = 0};

template <class Events>
class events : public ::testing::Test {};
TYPED_TEST_SUITE(events, test_types_events, test_types_events_names);

TYPED_TEST(events, hand_over_what_their_producers_wrote) {
  for (const hand_over_plan& plan : {one_to_one, one_to_many, many_to_one, some_to_all, all_to_all})
    expect_right_in_any_memory(seed_budget(20), [&] { return hands_over<TypeParam>(plan); });
}

TYPED_TEST(events, have_blocks_of_any_size) {
  for (const unsigned threads : {1u, 2u, 32u, 70u}) {
    hand_over_plan plan = some_to_all;
    plan.threads_per_block = threads;
    expect_right_in_any_memory(seed_budget(5), [&] { return hands_over<TypeParam>(plan); });
  }
}

/// A wait for a producer that is never there.
template <class Rounds>
__global__ void wait_in_vain(typename Rounds::ref_type events, cell<std::uint32_t>* came,
                             watchdog_ref watchdog) {
  const auto event = events.at(0);
  if (blockIdx.x == 0) event.arrive(0, 1);
  if (event.wait(1, watchdog)) *came = 1u;
}

TYPED_TEST(events, that_never_come_are_reported) {
  using rounds = event_rounds<TypeParam>;
  rounds one(1, 2);
  const auto came = zeroed(1);
  const watchdog timeout(1'000'000);
  launch_cooperative(wait_in_vain<rounds>, {.blocks = 2, .threads_per_block = 40}, one.ref(),
                     came.device_data(), timeout.ref());
  ASSERT_TRUE(timeout.fired());
  EXPECT_EQ(came.to_host()[0], 0u);
  EXPECT_EQ(timeout.report()->what, awaited::event);
}

/// Block 0 writes a word for each round and tells the others.
template <class Rounds>
__global__ void tell_rounds(typename Rounds::ref_type events, unsigned rounds,
                            cell<std::uint32_t>* words, cell<std::uint32_t>* right,
                            watchdog_ref watchdog) {
  const auto event = events.at(0);
  for (unsigned round = 0; round < rounds; ++round) {
    if (blockIdx.x == 0) {
      if (threadIdx.x == blockDim.x - 1) words[round] = round + 1;
      event.arrive(0, round);
    } else {
      if (!event.wait(round, watchdog)) return;
      if (threadIdx.x == 0) right[blockIdx.x] += words[round] == round + 1;
    }
  }
}

TYPED_TEST(events, may_wrap_around) {
  using all_rounds = event_rounds<TypeParam>;
  const auto right_after_many_rounds = [] {
    constexpr unsigned rounds = 3;
    const auto before = memory_in_use();
    const all_rounds one(1, 1);
    held_memory(before).spoil(constants, std::byte{0xff});  // the round before round 0
    const auto words = zeroed(rounds);
    const auto right = zeroed(3);
    return ends(tell_rounds<all_rounds>, {.blocks = 3, .threads_per_block = 34}, one, rounds, words,
                right) &&
           right.to_host() == std::vector<std::uint32_t>{0, rounds, rounds};
  };
  EXPECT_EQ(failing_seeds(strong, seed_budget(10), right_after_many_rounds), 0u);
}

/// Of each side's copy of a count only blocks of that side hear.
__global__ void tell_one_side(l2_lines_ref lines, unsigned side, cell<std::uint32_t>* heard,
                              watchdog_ref watchdog) {
  if (lines.side() != side) return;
  const event_counts<>::event event(lines, 1);
  if (is_first_of_block()) event_count<>(lines.line(side, 1)).add();
  if (event.wait(1, watchdog) && is_first_of_block())
    atomic_ref<std::uint32_t, scope::device>(*heard).fetch_add(1, memory_order::relaxed);
}

TEST(event_counts, are_polled_on_the_own_side) {
  for (const unsigned side : {0u, 1u}) {
    const l2_lines lines(2);
    const auto heard = zeroed(1);
    const bool ended = ends(watchdog(1'000'000), tell_one_side,
                            {.blocks = 16, .threads_per_block = 32}, lines, side, heard);
    EXPECT_GT(heard.to_host()[0], 0u);
    EXPECT_TRUE(ended);
  }
}

/// Each block adds once, and waits for all. \param written a word per block.
__global__ void add_and_await(cell<std::uint32_t>* count, std::uint32_t target,
                              cell<std::uint32_t>* written, cell<std::uint32_t>* seen,
                              watchdog_ref watchdog) {
  const event_count<> one(*count);
  written[blockIdx.x] = 1;
  one.add();
  if (!one.await(target, watchdog)) return;
  for (unsigned i = 0; i < gridDim.x; ++i) seen[blockIdx.x] += written[i];
}

bool all_see_all(std::uint32_t begin) {
  constexpr unsigned blocks = 4;
  const auto count = filled_with({begin});
  auto written = zeroed(blocks);
  auto seen = zeroed(blocks);
  return ends(add_and_await, {.blocks = blocks, .threads_per_block = 1}, count, begin + blocks,
              written, seen) &&
         all_are(seen, blocks);
}

TEST(event_count, may_wrap_around) {
  for (const std::uint32_t begin : {0u, 0xfffffffeu, 0x7ffffffeu})
    EXPECT_EQ(failing_seeds(strong, seed_budget(20), [&] { return all_see_all(begin); }), 0u);
}

template <bool Releases, bool Acquires, scope Scope = scope::device>
struct some_fences : event_fences {
  __device__ static void release() {
    if (Releases) fence<memory_order::release, Scope>();
  }
  __device__ static void acquire() {
    if (Acquires) fence<memory_order::acquire, Scope>();
  }
};
template <class Fences>
using counts_of_block = event_counts<event_waiters::one_warp, Fences>;
template <class Fences>
using counts_of_warps = event_counts<event_waiters::every_warp, Fences>;

template <memory_order Add, memory_order Look>
struct counter_steps {
  using number = std::uint32_t;
  using count = atomic_ref<number, scope::device>;
  __device__ static void add_one(cell<number>& word) { count(word).fetch_add(1, Add); }
  __device__ static number look(cell<number>& word) { return count(word).load(Look); }
};
template <memory_order Add, memory_order Look>
using counters = one_thread_events<counter_steps<Add, Look>>;

template <class Events>
unsigned wrong(const hand_over_plan& plan = some_to_all) {
  return failing_twin_seeds(weak, 40, [&] { return hands_over<Events>(plan); });
}

template <class Events>
class broken_events : public ::testing::Test {};
using events_that_lack_an_order = ::testing::Types<
    counts_of_block<some_fences<false, true>>, counts_of_block<some_fences<true, false>>,
    counts_of_block<some_fences<true, true, scope::block>>,
    counts_of_warps<some_fences<false, true>>, counts_of_warps<some_fences<true, false>>,
    counters<memory_order::relaxed, memory_order::acquire>,
    counters<memory_order::release, memory_order::relaxed>,
    flag_events<memory_order::relaxed, memory_order::acquire>,
    flag_events<memory_order::release, memory_order::relaxed>>;
TYPED_TEST_SUITE(broken_events, events_that_lack_an_order);

TYPED_TEST(broken_events, are_rejected_in_weak_memory) {
  EXPECT_GT(wrong<TypeParam>(), 0u);
}
TYPED_TEST(broken_events, race_in_strong_memory) {
  EXPECT_GT(racing_seeds(10, [] { return hands_over<TypeParam>(some_to_all); }), 0u);
}

/// Waits for one arrival less than there are.
class lets_go_early : public event_counts<> {
 public:
  using event_counts<>::event_counts;
  class event : public event_counts<>::event {
   public:
    explicit event(const event_counts<>::event& right) : event_counts<>::event(right) {}
    __device__ bool wait(std::uint32_t target, const watchdog_ref& watchdog) const {
      return event_counts<>::event::wait(target == 0 ? 0 : target - 1, watchdog);
    }
  };
  class ref_type : public event_counts<>::ref_type {
   public:
    explicit ref_type(const event_counts<>::ref_type& right) : event_counts<>::ref_type(right) {}
    __device__ event at(unsigned number) const {
      return event(event_counts<>::ref_type::at(number));
    }
  };
  ref_type ref() const { return ref_type(event_counts<>::ref()); }
};

TEST(broken_event, that_does_not_wait_for_its_last_producer_is_rejected) {
  expect_rejected(strong, 20, [] { return hands_over<lets_go_early>(many_to_one); });
}

}  // namespace
}  // namespace finesync::test::event_counts_test
