// Memory traffic of barriers: read-modify-writes; and of those as printed, what each step of the
// listings adds, finds and stores.
#include "exchange.hpp"

namespace finesync::test::traffic_test {
namespace {

template <class BarrierRef>
__global__ void pass(BarrierRef barrier, unsigned times, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  for (unsigned i = 0; i < times; ++i) {
    if (!participant.wait()) return;
  }
}

/// The operations of one launch, with those of joining.
template <class Barrier>
simt::counters counts_of_passes(const launch_shape& shape, unsigned times) {
  Barrier barrier(shape);
  EXPECT_TRUE(ends(pass<ref_of<Barrier>>, shape, barrier, times));
  return simt::last_launch().counts;
}

constexpr unsigned sms = 4;  // of the executor's default GPU

template <class Barrier>
double count_read_modify_writes(const launch_shape& shape, unsigned times) {
  return counts_of_passes<Barrier>(shape, times).by_name()["rmw_device_global"];
}

/// Per block and barrier, without joining.
template <class Barrier>
double read_modify_writes(unsigned blocks_per_sm = 4) {
  const launch_shape shape{.blocks = blocks_per_sm * sms, .threads_per_block = 32};
  constexpr unsigned few = 4, more = 24;
  return (count_read_modify_writes<Barrier>(shape, more) -
          count_read_modify_writes<Barrier>(shape, few)) /
         ((more - few) * shape.blocks);
}

// Two barriers on the SM, and for one block in four, two of the leaders. Each is an addition and at
// least one poll, which is a compare-exchange.
TEST(traffic, of_the_atomic_tree_is_two_meetings_a_level) {
  EXPECT_GE(read_modify_writes<atomic_tree>(), 2 * 2 + 2 * 2 / 4.0);
  EXPECT_GE(read_modify_writes<atomic_tree>(1), 2 * 2);
}

TEST(traffic, of_the_sense_reversing_tree_is_one_addition_a_level) {
  EXPECT_EQ(read_modify_writes<sense_reversing>(), 1 + 1 / 4.0);
  EXPECT_EQ(read_modify_writes<sense_reversing>(1), 1);
}

// The thesis's claim.
TEST(traffic, of_the_sense_reversing_tree_is_at_most_half_of_the_atomic_tree) {
  for (const unsigned blocks_per_sm : {1u, 2u, 4u, 8u}) {
    const double atomic = read_modify_writes<atomic_tree>(blocks_per_sm);
    EXPECT_LE(2 * read_modify_writes<sense_reversing>(blocks_per_sm), atomic);
  }
}

TEST(traffic, of_the_lock_free_tree_has_no_read_modify_write) {
  EXPECT_EQ(read_modify_writes<lock_free_tree>(), 0);
}

TEST(traffic, of_counters_is_an_addition_per_copy) {
  EXPECT_EQ(read_modify_writes<flat_counters>(), 2);
  EXPECT_EQ(read_modify_writes<flat_counters_replicas>(), 2);
  EXPECT_EQ(read_modify_writes<sm_counters>(), 1 + 4 / 4.0);
  EXPECT_EQ(read_modify_writes<gather_broadcast>(), (15 + 4) / 16.0);  // the root adds for release
  EXPECT_EQ(read_modify_writes<cooperative_groups_barrier>(), 1);
  EXPECT_EQ(read_modify_writes<cutlass_counter_barrier<>>(), 1);
  EXPECT_EQ(read_modify_writes<cluster_barrier>(), 4 * 2);
}

constexpr unsigned rounds = 20;

/// Operations on device memory at device scope, and fences.
struct traffic {
  double additions, exchanges, swaps, stores, fences;

  traffic operator-(const traffic& other) const {
    return {additions - other.additions, exchanges - other.exchanges, swaps - other.swaps,
            stores - other.stores, fences - other.fences};
  }
};

template <class Barrier>
traffic traffic_of_launch(const launch_shape& shape, unsigned times) {
  const simt::counters counts = counts_of_passes<Barrier>(shape, times);
  const auto of = [&](simt::op_kind kind, simt::space where = simt::space::global) {
    return static_cast<double>(counts.operations(kind, scope::device, where));
  };
  return {of(simt::op_kind::fetch_add), of(simt::op_kind::exchange),
          of(simt::op_kind::compare_exchange), of(simt::op_kind::store),
          of(simt::op_kind::fence, simt::space::none)};
}

/// Per barrier of all blocks, without joining.
template <class Barrier>
traffic traffic_of(unsigned blocks_per_sm, unsigned on_sms = sms) {
  simt::settings how = simt::current_settings();
  how.gpu.sms = static_cast<int>(on_sms);
  const simt::scoped_settings scoped(how);
  const launch_shape shape{.blocks = blocks_per_sm * on_sms, .threads_per_block = 32};
  const traffic all =
      traffic_of_launch<Barrier>(shape, 2 * rounds) - traffic_of_launch<Barrier>(shape, rounds);
  return {all.additions / rounds, all.exchanges / rounds, all.swaps / rounds, all.stores / rounds,
          all.fences / rounds};
}

constexpr unsigned grids[] = {2, 4, 8};  ///< blocks per SM, of two levels

// On the SM twice two meetings, of which each block adds to all; on the grid two, of the leaders. A
// fence precedes each addition and follows each zero.
TEST(printed_traffic, of_the_atomic_tree_is_four_additions_a_block_and_two_an_sm) {
  for (const unsigned blocks : grids) {
    const traffic found = traffic_of<atomic_tree_printed_barrier<>>(blocks);
    const double additions = 4 * blocks * sms + 2 * sms;
    const double meetings = 4 * sms + 2;
    EXPECT_EQ(found.additions, additions);
    EXPECT_EQ(found.fences - found.additions, additions) << "zeros that a block found";
    EXPECT_GE(found.swaps, additions + meetings);
    EXPECT_EQ(found.stores + found.exchanges, 0) << "a counter is reset by a swap alone";
  }
}

TEST(printed_traffic, of_the_atomic_tree_with_one_block_an_sm_is_of_the_grid_alone) {
  const traffic found = traffic_of<atomic_tree_printed_barrier<>>(1);
  EXPECT_EQ(found.additions, 2 * sms);
  EXPECT_EQ(found.fences - found.additions, 2 * sms);
  EXPECT_GE(found.swaps, 2 * sms + 2);

  const traffic alone = traffic_of<atomic_tree_printed_barrier<>>(1, 1);
  EXPECT_EQ(alone.additions, 2);
  EXPECT_EQ(alone.swaps, 4) << "the full count, then zero, twice";
  EXPECT_EQ(alone.fences, 4);
}

// An addition at each level; a sense for each SM and one for all, which the block that found the
// count full stores.
template <class Barrier>
void expect_one_addition_a_level(double stores_of_leaders) {
  for (const unsigned blocks : grids) {
    const traffic found = traffic_of<Barrier>(blocks);
    EXPECT_EQ(found.additions, blocks * sms + sms);
    EXPECT_EQ(found.stores, sms + 1 + stores_of_leaders);
    EXPECT_GT(found.swaps, sms + 1) << "polls";
    EXPECT_EQ(found.exchanges, 0);
  }
  const traffic on_grid = traffic_of<Barrier>(1);
  EXPECT_EQ(on_grid.additions, sms);
  EXPECT_EQ(on_grid.stores, 1);

  const traffic alone = traffic_of<Barrier>(1, 1);
  EXPECT_EQ(alone.additions, 1);
  EXPECT_EQ(alone.swaps, 1);
  EXPECT_EQ(alone.fences, 3);
}

TEST(printed_traffic, of_the_sense_reversing_tree_is_an_addition_a_level_and_a_leader_an_sm) {
  expect_one_addition_a_level<sense_reversing_printed_barrier<>>(sms);
}

TEST(printed_traffic, of_the_sense_reversing_tree_with_fixed_leaders_names_none) {
  expect_one_addition_a_level<sense_reversing_static_printed_barrier<>>(0);
}

// The thesis's claim.
TEST(printed_traffic, of_the_sense_reversing_tree_is_at_most_half_of_the_atomic_tree) {
  for (const unsigned blocks : {1u, 2u, 4u, 8u}) {
    const traffic tree = traffic_of<atomic_tree_printed_barrier<>>(blocks);
    const traffic reversing = traffic_of<sense_reversing_printed_barrier<>>(blocks);
    EXPECT_LE(2 * (reversing.additions + reversing.swaps), tree.additions + tree.swaps);
  }
}

// At each level every block stores zeros in both of its words, and its main block a zero and a one.
TEST(printed_traffic, of_the_lock_free_tree_is_an_exchange_a_block_and_another_a_leader) {
  for (const unsigned blocks : grids) {
    const traffic found = traffic_of<lock_free_tree_printed_barrier<>>(blocks);
    EXPECT_EQ(found.exchanges, blocks * sms + sms);
    EXPECT_EQ(found.stores, 4 * (blocks * sms + sms));
    EXPECT_EQ(found.additions + found.swaps, 0);
  }
  const traffic on_grid = traffic_of<lock_free_tree_printed_barrier<>>(1);
  EXPECT_EQ(on_grid.exchanges, sms);
  EXPECT_EQ(on_grid.stores, 4 * sms);
  EXPECT_EQ(on_grid.additions + on_grid.swaps, 0);
}

}  // namespace
}  // namespace finesync::test::traffic_test
