// The queue workload on the host executor: every primitive in all traffic, what is infeasible, and
// what its verification rejects.
#include <finesync/host/machine.cuh>
#include <workloads/queue/broker_queue.cuh>
#include <workloads/queue/queue_experiment.cuh>
#include <workloads/queue/queues_makers.hpp>

#include <tests/library/queues/broken_queues.hpp>
#include <tests/rejection.hpp>
#include <tests/suite/verifiers/allocations.hpp>

#include <cstddef>
#include <cstdint>
#include <set>

namespace finesync::queue {
namespace {

constexpr run_config small{.roles = traffic::halves, .rounds = 3};

class queues : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  static void expect_right(const run_config& config) {
    test::expect_right_in_any_memory(
        test::seed_budget(3), [&] { return workload::ending(*GetParam().make(config)).ok(); });
  }
  /// Whatever the primitive has no traffic for says why.
  static void expect_right_or_infeasible(const run_config& config) {
    try {
      expect_right(config);
    } catch (const bench::infeasible& why) {
      EXPECT_NE(std::string(why.what()).find(": use --"), std::string::npos);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, queues, ::testing::ValuesIn(workload::runnable(all_queues())),
                         workload::name_of_primitive);

TEST_P(queues, carry_all_items_in_all_traffic) {
  for (const traffic roles : {traffic::halves, traffic::fan_in, traffic::fan_out, traffic::both,
                              traffic::pair, traffic::ping, traffic::ping_ahead}) {
    run_config config = small;
    config.roles = roles;
    expect_right_or_infeasible(config);
  }
}

TEST_P(queues, carry_items_of_all_sizes_and_shares) {
  for (const unsigned bytes : {4u, 8u, 16u}) {
    for (const bool by_block : {false, true}) {
      run_config config = small;
      config.roles = traffic::both;
      config.item_bytes = bytes;
      config.by_block = by_block;
      config.items = by_block ? 4 : 1;
      expect_right_or_infeasible(config);
    }
  }
}

TEST_P(queues, of_little_room_carry_all_items) {
  run_config config = small;
  config.capacity = 512;
  config.items = 4;
  config.rounds = 6;
  expect_right_or_infeasible(config);
}

// In what remains of the traced run.
TEST_P(queues, give_no_two_items_one_place) {
  run_config config = small;
  config.roles = traffic::both;
  config.items = 4;
  const auto run = GetParam().make(config);
  ASSERT_TRUE(workload::ending(*run).ok());
  for (const test::allocation& each : test::allocations()) {
    if (each.bytes != 4 * static_cast<std::size_t>(run->operations())) continue;
    const std::span tickets(reinterpret_cast<const std::uint32_t*>(each.begin), each.size());
    EXPECT_EQ(std::set(tickets.begin(), tickets.end()).size(), tickets.size());
  }
}

TEST_P(queues, leave_nothing_to_the_next_run) {
  for (const traffic roles : {traffic::both, traffic::ping}) {
    run_config config = small;
    config.roles = roles;
    try {
      workload::expect_nothing_left(
          *GetParam().make(config),
          {{" x numbered_item<", "an item is written before its place says that it is there"}});
    } catch (const bench::infeasible&) {  // it has no such traffic
    }
  }
}

TEST(queue_program, refuses_what_cannot_be) {
  const auto refused = [](const run_config& config) { return all_queues().front().make(config); };
  run_config both = small;
  both.roles = traffic::both;
  both.capacity = 64;
  EXPECT_THROW(refused(both), bench::infeasible);
  run_config odd = small;
  odd.threads_per_block = 48;
  EXPECT_THROW(refused(odd), bench::infeasible);
  run_config three = small;
  three.items = 3;
  EXPECT_THROW(refused(three), bench::infeasible);
  run_config batch = small;
  batch.roles = traffic::ping;
  batch.items = 4;
  EXPECT_THROW(refused(batch), bench::infeasible);
  run_config wide = small;
  wide.item_bytes = 12;
  EXPECT_THROW(refused(wide), bench::infeasible);
}

/// A queue of the program's items that puts without a look at the slot.
template <class T>
struct looks_at_nothing : item_words<T> {
  using item_words<T>::item_words;
  static bool is_marked(const typename item_words<T>::first_look&, std::uint64_t) { return true; }
};
template <class T>
using unbounded_queue = basic_slot_queue<T, queue_order::relaxed, looks_at_nothing<T>>;

/// A queue whose consumers see the items changed.
template <class T, T (*Change)(T)>
struct changed_words : item_words<T> {
  using item_words<T>::item_words;
  static T item(const typename item_words<T>::look& seen) {
    return Change(item_words<T>::item(seen));
  }
};
template <class T, T (*Change)(T)>
using changing_queue = basic_slot_queue<T, queue_order::relaxed, changed_words<T, Change>>;

/// Another number, but its checksum as it was.
template <class T>
T lie(T item) {
  item.number ^= 1;
  return item;
}
template <class T>
using lying_queue = changing_queue<T, lie<T>>;

/// The neighbour, with its checksum: sums and numbers are right, the order is not.
template <class T>
T swap(T item) {
  return T::of(item.number ^ 1);
}
template <class T>
using swapping_queue = changing_queue<T, swap<T>>;

/// Keeps what it subtracted too much.
struct keeps_what_is_not_there : broker_counter {
  explicit keeps_what_is_not_there(broker_state& state)
      : broker_counter(state), items_(state.items) {}
  int claim_items(int wanted) const {
    if (items_.load(memory_order::relaxed) <= 0) return 0;
    const int there = items_.fetch_add(-wanted, memory_order::relaxed);
    return there >= wanted ? wanted : 0;
  }
  atomic_ref<std::int32_t, scope::device> items_;
};
template <class T>
using starving_broker = basic_broker_queue<T, keeps_what_is_not_there>;

template <template <class> class Queue, unsigned Bytes>
using carried_by = carry_experiment<Queue<numbered_item<Bytes>>, 1, false>;

TEST(queue_verification, rejects_lost_wrong_and_swapped_items) {
  run_config config = small;
  config.rounds = 4;
  EXPECT_TRUE((test::is_rejected<carried_by<lying_queue, 8>>(1, config)));
  EXPECT_TRUE((test::is_rejected<carried_by<swapping_queue, 8>>(1, config)));
  EXPECT_TRUE((test::is_rejected<carried_by<swapping_queue, 4>>(1, config)));
  config.capacity = 64;
  EXPECT_TRUE((test::is_rejected<carried_by<unbounded_queue, 8>>(4, config)));
  EXPECT_FALSE((test::is_rejected<carried_by<slot_queue, 8>>(4, config)));
  EXPECT_TRUE((test::is_rejected<carried_by<starving_broker, 8>>(10, config)));
  EXPECT_FALSE((test::is_rejected<carried_by<broker_queue, 8>>(10, config)));
}

}  // namespace
}  // namespace finesync::queue
