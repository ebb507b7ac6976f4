// Every item arrives once, at its place in the line: over many schedules of each queue. A segment
// is free again with its last item, and no sooner. Tickets begin again at 0 after four billion
// items.
#include "carry.cuh"

#include <finesync/queues/segment_queue.cuh>
#include <finesync/queues/slot_queue.cuh>

#include <tests/catalogue/queues.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::queues_test {
namespace {

template <class Queue>
class queues : public ::testing::Test {
 protected:
  template <unsigned Items = 1>
  static void carry(queue_load load, unsigned usual = 60) {
    load.capacity = std::max(load.capacity, least_capacity<Queue>);
    const auto right = [&] { return arrives<Queue, Items>(load); };
    expect_right_in_any_memory(seed_budget(usual), right);
  }
};
TYPED_TEST_SUITE(queues, test_types_queues, test_types_queues_names);

TYPED_TEST(queues, carry_each_item_once) {
  this->carry({.producers = 2, .consumers = 2, .capacity = 128});
}

TYPED_TEST(queues, work_with_less_room_than_lanes_in_flight) {
  this->carry({.producers = 2, .consumers = 1, .capacity = 8});
  this->carry({.producers = 1, .consumers = 2, .rounds = 2, .capacity = 2});
}

TYPED_TEST(queues, take_tickets_for_the_lanes_that_take_part) {
  this->carry({.producers = 2, .consumers = 2, .capacity = 64, .some_lanes = true});
}

TYPED_TEST(queues, carry_several_items_of_a_thread) {
  this->template carry<4>({.producers = 2, .consumers = 1, .rounds = 2, .capacity = 64});
}

TYPED_TEST(queues, carry_items_of_blocks) {
  this->carry(
      {.producers = 2, .consumers = 2, .warps = 2, .rounds = 2, .capacity = 64, .by_block = true});
}

TYPED_TEST(queues, carry_items_of_threads_that_do_both) {
  this->carry({.producers = 3, .all_do_both = true, .capacity = 128});
  this->template carry<2>({.producers = 2,
                           .all_do_both = true,
                           .warps = 2,
                           .rounds = 2,
                           .capacity = 256,
                           .by_block = true});
}

// Many laps, also of a ring of segments. Places of fewer lanes reach from one segment into the
// next.
TYPED_TEST(queues, go_around) {
  constexpr unsigned capacity = least_capacity<TypeParam>;
  this->template carry<4>(
      {.producers = 1, .consumers = 1, .rounds = 2 + capacity / 32, .capacity = capacity}, 10);
  this->carry({.producers = 2,
               .consumers = 2,
               .rounds = 2 + capacity / 16,
               .capacity = capacity,
               .some_lanes = true},
              10);
  // Producers that are ahead of their consumer, or late in a segment that is in use again.
  this->carry({.producers = 6, .consumers = 1, .rounds = 2 + capacity / 64, .capacity = capacity},
              10);
}

using queue_type = segment_queue<test_item>;
using ring_type = queue_type::ring_type;

/// A warp fills the ring, takes all but one item of the first segment, and pushes once more: first
/// with that item in its slot, then without.
__global__ void push_into_the_next_lap(queue_type::ref_type everybodys,
                                       cell<std::uint32_t>* had_room, watchdog_ref watchdog) {
  constexpr unsigned warps_per_segment = ring_type::slots_per_segment / 32;
  const auto queue = everybodys.join(shared_bytes());
  const test_item items[1] = {lane_id()};
  const auto push = [&] { return queue.reserve_push(by_warp::all()); };
  const auto pop = [&](unsigned lanes) {
    auto place = queue.reserve_pop(by_warp::where(lane_id() < lanes));
    queue.take(place, watchdog);
  };
  for (unsigned i = 0; i < ring_type::least_capacity / 32; ++i) {
    auto place = push();
    queue.put(place, items, watchdog);
  }
  for (unsigned i = 1; i < warps_per_segment; ++i) pop(32);
  pop(31);
  auto next_lap = push();
  const bool too_early = queue.try_put(next_lap, items);
  pop(1);
  const bool in_time = !too_early && queue.try_put(next_lap, items);
  if (threadIdx.x != 0) return;
  had_room[0] = too_early;
  had_room[1] = in_time;
}

TEST(segment_queue, has_room_again_with_the_last_item_of_a_segment) {
  const queue_type queue(ring_type::least_capacity);
  const auto had_room = zeroed(2);
  const watchdog timeout(1'000'000'000);
  launch_independent(
      push_into_the_next_lap,
      {.blocks = 1, .threads_per_block = 32, .shared_bytes = queue.ref().shared_bytes()},
      queue.ref(), had_room.device_data(), timeout.ref());
  stream().synchronize();
  EXPECT_FALSE(timeout.fired());
  EXPECT_EQ(had_room.to_host(), (std::vector<std::uint32_t>{0, 1}));
}

// Tickets that begin again at 0: a queue that is found just before.

constexpr unsigned slots_of_old = 16;
constexpr queue_load many_laps{.producers = 2, .consumers = 2, .rounds = 3};
constexpr std::uint32_t all_items = 32 * many_laps.producers * many_laps.rounds;

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

  explicit old_queue(std::uint32_t first_ticket) : words_(words::words_per_slot * slots_of_old) {
    words_.fill_bytes(0);
    launch_independent(wind_on<typename ref_type::ends, words>, {1, slots_of_old}, lines_.ends(),
                       words(words_.device_data(), slots_of_old), first_ticket);
  }
  ref_type ref() const {
    return {lines_.ends(),
            ring(lap_tags<std::uint32_t>(slots_of_old), words(words_.device_data(), slots_of_old))};
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
  const queue_load ahead{.producers = 6, .consumers = 1, .rounds = 2 + old_segments::room / 64};
  expect_right_in_any_memory(seed_budget(10), [&] {
    old_segments queue((1u << 24) - 1);
    return arrives<1>(queue, ahead);
  });
}

template <class T>
unsigned failing(simt::memory_kind memory, std::uint32_t first_ticket) {
  return failing_seeds(memory, seed_budget(20), [&] {
    old_queue<T> queue(first_ticket);
    return arrives<1>(queue, many_laps);
  });
}

TEST(tickets, begin_again_at_0) {
  constexpr std::uint32_t among_the_items = 0u - all_items / 3;
  constexpr std::uint32_t after_the_last =
      0u - all_items - slots_of_old;  // among the places told of the end
  for (const auto memory : {strong, weak}) {
    for (const std::uint32_t first : {among_the_items, after_the_last}) {
      EXPECT_EQ(failing<test_item>(memory, first), 0u);
      EXPECT_EQ(failing<std::uint32_t>(memory, first), 0u);
      EXPECT_EQ(failing<test_item_16>(memory, first), 0u);
    }
  }
}

}  // namespace
}  // namespace finesync::test::queues_test
