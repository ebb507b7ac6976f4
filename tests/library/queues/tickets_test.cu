// Tickets that begin again at 0: a queue that is found just before, as after four billion items.
#include "carry.cuh"

#include <finesync/queues/segment_queue.cuh>
#include <finesync/queues/slot_queue.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>
#include <tests/library/queues/test_types.hpp>

namespace finesync::test::tickets_test {
namespace {

constexpr unsigned capacity = 16;
constexpr freight load{.producers = 2, .consumers = 2, .rounds = 3};
constexpr std::uint32_t items = 32 * load.producers * load.rounds;

/// The queue's memory as it is once all items before the first ticket have gone through.
template <class Ends, class Words>
__global__ void wind_on(Ends ends, Words words, std::uint32_t first_ticket) {
  words.mark(threadIdx.x, first_ticket);
  if (threadIdx.x != 0) return;
  *ends.tail = first_ticket;
  *ends.head = first_ticket;
}

/// A slot queue that has been in use for long.
template <class T>
class old_queue {
 public:
  using words = item_words<T>;
  using ring = slot_ring<T, queue_order::relaxed, words>;
  using ref_type = ring_queue<ring>;

  explicit old_queue(std::uint32_t first_ticket) : words_(words::words_per_slot * capacity) {
    words_.fill_bytes(0);
    launch_independent(wind_on<typename ref_type::ends, words>, {1, capacity}, lines_.ends(),
                       words(words_.device_data(), capacity), first_ticket);
  }
  ref_type ref() const {
    return {lines_.ends(),
            ring(lap_tags<std::uint32_t>(capacity), words(words_.device_data(), capacity))};
  }

 private:
  queue_lines<typename ring::ticket> lines_;
  buffer<typename words::word> words_;
};

template <class Ends, class Counter>
__global__ void wind_on_segments(Ends ends, Counter* counters, std::uint64_t first_ticket,
                                 std::uint32_t taken) {
  counters[threadIdx.x].taken = taken;
  if (threadIdx.x != 0) return;
  *ends.tail = first_ticket;
  *ends.head = first_ticket;
}

/// A segment queue whose segments have each been used for so many laps.
class old_segments {
 public:
  using words = item_words<test_item>;
  using ring = segment_ring<test_item>;
  using ref_type = ring_queue<ring>;
  static constexpr unsigned room = ring::least_capacity;

  explicit old_segments(std::uint32_t laps)
      : words_(words::words_per_slot * room), counters_(room / ring::slots_per_segment) {
    words_.fill_bytes(0);
    launch_independent(wind_on_segments<ref_type::ends, ring::counter>,
                       {1, room / ring::slots_per_segment}, lines_.ends(), counters_.device_data(),
                       std::uint64_t{laps} * room, laps * ring::slots_per_segment);
  }
  ref_type ref() const {
    return {lines_.ends(), ring(lap_tags<std::uint64_t>(room), words(words_.device_data(), room),
                                counters_.device_data())};
  }

 private:
  queue_lines<ring::ticket> lines_;
  buffer<words::word> words_;
  zeroed_states<ring::counter> counters_;
};

// In the second lap the counts of taken items begin again at 0.
TEST(tickets, of_segments_whose_counts_begin_again_at_0_bound_their_producers) {
  const freight ahead{.producers = 6, .consumers = 1, .rounds = 2 + old_segments::room / 64};
  expect_right_in_any_memory(seed_budget(10), [&] {
    old_segments queue((1u << 24) - 1);
    return arrives<1>(queue, ahead);
  });
}

template <class T>
unsigned failing(simt::memory_kind memory, std::uint32_t first_ticket) {
  return failing_seeds(memory, seed_budget(20), [&] {
    old_queue<T> queue(first_ticket);
    return arrives<1>(queue, load);
  });
}

TEST(tickets, begin_again_at_0) {
  constexpr std::uint32_t among_the_items = 0u - items / 3;
  constexpr std::uint32_t after_the_last =
      0u - items - capacity;  // among the places told of the end
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    for (const std::uint32_t first : {among_the_items, after_the_last}) {
      EXPECT_EQ(failing<test_item>(memory, first), 0u);
      EXPECT_EQ(failing<std::uint32_t>(memory, first), 0u);
      EXPECT_EQ(failing<test_item_16>(memory, first), 0u);
    }
  }
}

}  // namespace
}  // namespace finesync::test::tickets_test
