// The hash table on the device: correct with every primitive, wrong without exclusion, ended by the
// watchdog if no thread acquires the lock, rejected if the grid does not fit.
#include "gpu_fixture.hpp"

#include <workloads/ht/insert_experiment.cuh>
#include <workloads/ht/locks_makers.hpp>
#include <workloads/ht/servers_makers.hpp>

#include <tests/library/locks/no_lock.hpp>
#include <tests/primitives.hpp>

#include <string>

namespace finesync::ht {
namespace {

constexpr run_config contended{
    .problem = {.collision_factor = 256, .inserts = 1 << 16, .table_size = 1 << 16},
    .blocks_per_sm = 2};

class ht_on_gpu : public test::on_gpu {};

TEST_F(ht_on_gpu, is_right_with_every_primitive) {
  auto all = workload::runnable(all_locks());
  for (const auto& server : all_servers()) all.push_back(server);
  for (const auto& each : all) {
    SCOPED_TRACE(each.name);
    workload::expect_right(*each.make(contended));
  }
}

TEST_F(ht_on_gpu, is_wrong_without_a_lock) {
  lock_experiment<test::no_lock> experiment(contended);
  experiment.launch();
  EXPECT_FALSE(experiment.verify().ok());
}

/// Never acquired by any thread.
class closed : public test::no_lock {
 public:
  __device__ explicit closed(state& s) : no_lock(s) {}
  __device__ bool try_enter(acquisition&) { return false; }
};

TEST_F(ht_on_gpu, is_given_up_when_nobody_gets_in) {
  lock_experiment<closed> experiment(contended);
  experiment.launch();
  const bench::outcome ended = experiment.verify();
  EXPECT_TRUE(ended.what == bench::status::timeout);
}

TEST_F(ht_on_gpu, refuses_a_grid_that_does_not_fit) {
  run_config huge = contended;
  huge.blocks_per_sm = 33;
  EXPECT_THROW(make_spin(huge), launch_error);
}

}  // namespace
}  // namespace finesync::ht
