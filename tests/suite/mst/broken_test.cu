// Minimum records with likely mistakes. The verification of the correct ones must reject each.
#include "small.hpp"

#include <finesync/locks/tas_lock.cuh>
#include <workloads/mst/minimum/full_empty_minimum.cuh>
#include <workloads/mst/minimum/locked_minimum.cuh>
#include <workloads/mst/minimum_experiment.cuh>
#include <workloads/mst/per_vertex/per_vertex_experiment.cuh>

#include <tests/library/locks/broken_tas_locks.cuh>
#include <tests/rejection.hpp>

#include <cstddef>

namespace finesync::mst {
namespace {

using test::is_rejected;

run_config contended() {
  return small(random_graph(40, 150, 50, 2), all_light);
}

/// Compares, and then stores: of two concurrent threads the one with the greater key may be last.
class broken_minimum : public key_records {
 public:
  using key_records::key_records;
  bool propose(std::uint32_t component, std::uint64_t key, const watchdog_ref&) const {
    if (improves(component, key)) of(component).store(key);
    return true;
  }
};

/// A record with operations that a global_atomic_ref does not have.
class any_order_records : public key_records {
 public:
  using key_records::key_records;

 protected:
  atomic_ref<std::uint64_t, scope::device> word_of(std::uint32_t component) const {
    return atomic_ref<std::uint64_t, scope::device>(cell_of(component));
  }
};

/// Of two edges of the same weight the first one stays, so the two ends may choose differently.
class minimum_of_weights : public any_order_records {
 public:
  using any_order_records::any_order_records;
  bool propose(std::uint32_t component, std::uint64_t key, const watchdog_ref&) const {
    std::uint64_t found = word_of(component).load(memory_order::relaxed);
    while (key >> 32 < found >> 32)
      if (word_of(component).compare_exchange(found, key, memory_order::relaxed)) break;
    return true;
  }
};

/// Keeps the greatest key: a forest that spans the graph, but not of the smallest weight.
class greatest_key : public any_order_records {
 public:
  using any_order_records::any_order_records;
  bool propose(std::uint32_t component, std::uint64_t key, const watchdog_ref&) const {
    std::uint64_t found = word_of(component).load(memory_order::relaxed);
    while (found == no_key || found < key)
      if (word_of(component).compare_exchange(found, key, memory_order::relaxed)) break;
    return true;
  }
};

/// Leaves when the record is held, as if the value put back were less than its own key.
class impatient_exchange : public key_records {
 public:
  using key_records::key_records;
  bool propose(std::uint32_t component, std::uint64_t key, const watchdog_ref&) const {
    if (!improves(component, key)) return true;
    const std::uint64_t taken = of(component).exchange(no_key - 1);
    if (taken != no_key - 1) of(component).store(taken < key ? taken : key);
    return true;
  }
};

using open_lock = test::lock_for_all<scope::device>;

TEST(broken_minima, that_compare_before_they_store_are_rejected) {
  EXPECT_TRUE(is_rejected<minimum_experiment<broken_minimum>>(20, contended()));
}
TEST(broken_minima, that_are_maxima_are_rejected) {
  const run_config config = contended();
  const simt::scoped_settings scoped(simt::random_schedule(1, simt::memory_kind::strong));
  minimum_experiment<greatest_key> broken(config);
  EXPECT_EQ(workload::ending(broken).reason.substr(0, 11), "a weight of");
}
TEST(broken_minima, that_break_ties_two_ways_are_rejected) {
  EXPECT_TRUE(is_rejected<minimum_experiment<minimum_of_weights>>(
      20, small(random_graph(400, 1500, 1), all_light)));
}
TEST(broken_minima, that_do_not_wait_for_who_has_the_record_are_rejected) {
  EXPECT_TRUE(is_rejected<minimum_experiment<impatient_exchange>>(20, contended()));
}
TEST(broken_minima, under_locks_that_let_everybody_in_are_rejected) {
  EXPECT_TRUE(is_rejected<minimum_experiment<locked_minimum<open_lock>>>(20, contended()));
  EXPECT_TRUE(is_rejected<per_vertex_experiment<open_lock>>(20, contended()));
}

/// Chooses the arcs that it is told to.
class chosen_by_hand final : public forest_experiment {
 public:
  chosen_by_hand(const run_config& config, const std::vector<std::uint32_t>& arcs)
      : forest_experiment(config), by_hand_(arcs) {}

 private:
  void begin() override {}
  void start() override {
    for (std::size_t i = 0; i < by_hand_.size(); ++i) *chosen()[i].address() = by_hand_[i];
  }
  launch_shape shape() const override { return {}; }

  std::vector<std::uint32_t> by_hand_;
};

TEST(broken_forest, of_the_least_weight_that_is_none_is_rejected) {
  // Arcs by their tails: 0 - 1, 1 - 0, 1 - 2, 2 - 1.
  const run_config config = small({"chain", 3, {{0, 1, 5}, {1, 2, 5}}});
  chosen_by_hand right(config, {0, 2});
  EXPECT_EQ(workload::ending(right).reason, "");
  chosen_by_hand twice(config, {0, 1});  // one edge, there and back
  EXPECT_EQ(workload::ending(twice).what, bench::status::wrong);
}

TEST(broken_minima, unbroken_pass) {
  const unsigned seeds = test::seed_budget(20);
  EXPECT_FALSE(is_rejected<minimum_experiment<atomic_min>>(seeds, contended()));
  EXPECT_FALSE(is_rejected<minimum_experiment<full_empty_minimum>>(seeds, contended()));
  EXPECT_FALSE(
      is_rejected<minimum_experiment<locked_minimum<tas_lock<scope::device>>>>(seeds, contended()));
}

}  // namespace
}  // namespace finesync::mst
