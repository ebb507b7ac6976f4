// LonestarGPU's algorithm: as many locks as published, and broken parts of it.
#include "small.hpp"

#include <finesync/device/backoff.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <simt/settings.hpp>
#include <workloads/mst/lonestar/lock_experiment.cuh>
#include <workloads/mst/minima.hpp>

#include <gtest/gtest.h>
#include <tests/rejection.hpp>

#include <cmath>
#include <string_view>

namespace finesync::mst::lonestar_test {
namespace {

using test::is_rejected;

using published_lock = ticket_lock<scope::device, no_backoff>;
using as_published = lonestar_lock_experiment<published_lock>;

/// Acquisitions of a run, by its counters.
long acquisitions(bench::experiment& made) {
  made.reset();
  made.launch();
  EXPECT_TRUE(made.verify().ok());
  return std::lround(made.measure().at("lock_acquisitions_per_operation") * made.operations());
}

TEST(lonestar, takes_a_lock_for_each_vertex_with_an_edge_out_in_each_level) {
  const simt::scoped_settings scoped(simt::random_schedule(1, simt::memory_kind::weak));
  // All join in the first level.
  as_published in_one(small(star(90, 1000)));
  EXPECT_EQ(acquisitions(in_one), 90);
  // Pairs 0-1, 2-3, 4-5, 6-7 join first. Then each of the eight vertices but the two ends has an
  // edge to another pair, and all pairs join in order.
  small_graph pairs{"pairs", 8};
  for (std::uint32_t i = 1; i < 8; ++i) pairs.edges.push_back({i - 1, i, i % 2 == 1 ? 1 : 10 + i});
  as_published in_two(small(pairs));
  EXPECT_EQ(acquisitions(in_two), 8 + 6);
  // Servers run the same sections.
  for (const auto& each : workload::runnable(all_minima())) {
    if (std::string_view(each.name) == "server_per_vertex_printed") {
      EXPECT_EQ(acquisitions(*each.make(small(pairs))), 8 + 6);
    }
  }
}

TEST(lonestar, keeps_an_edge_of_weight_0) {
  // 0-2 and 1-3 join first. Then two vertices propose an edge of weight 0, and two one of weight 9.
  const small_graph free{"free", 4, {{0, 2, 0}, {1, 3, 0}, {2, 3, 0}, {0, 1, 9}}};
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    as_published made(small(free));
    EXPECT_EQ(workload::ending(made).reason, "");
  }
}

/// Every thread enters at once.
class open_lock : public published_lock {
 public:
  using published_lock::published_lock;
  bool try_enter(acquisition&) { return true; }
  void leave(acquisition&) {}
};
/// Lets the next thread in without a release.
class unordered_lock : public tas_lock<scope::device> {
 public:
  using tas_lock::tas_lock;
  void leave(acquisition&) { this->held_.store(0, memory_order::relaxed); }
};

run_config contended() {
  return small(random_graph(40, 150, 50, 2));
}

TEST(lonestar, rejects_a_lock_that_lets_everybody_in) {
  EXPECT_TRUE(is_rejected<lonestar_lock_experiment<open_lock>>(20, contended()));
}
TEST(lonestar, rejects_a_lock_without_release) {
  EXPECT_TRUE(is_rejected<lonestar_lock_experiment<unordered_lock>>(100, contended(),
                                                                    simt::memory_kind::weak));
}
TEST(lonestar, is_right_as_published) {
  EXPECT_FALSE(is_rejected<as_published>(20, contended()));
}

}  // namespace
}  // namespace finesync::mst::lonestar_test
