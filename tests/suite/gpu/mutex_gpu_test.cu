// The experiment with one lock on the device: correct with every primitive, also with whole blocks
// and a full GPU; wrong without a lock; timed out if no thread acquires it.
#include "gpu_fixture.hpp"

#include <workloads/mutex/gpus_locks_makers.hpp>
#include <workloads/mutex/lock_experiment.cuh>
#include <workloads/mutex/locks_makers.hpp>

#include <tests/library/locks/no_lock.hpp>
#include <tests/primitives.hpp>

namespace finesync::mutex {
namespace {

class mutexes_on_gpu : public test::on_gpu,
                       public testing::WithParamInterface<workload::catalogue_entry<run_config>> {};

// spin is missing: it comes to a standstill with many blocks, which is a result and no error.
INSTANTIATE_TEST_SUITE_P(all, mutexes_on_gpu,
                         testing::ValuesIn(workload::runnable(all_locks(), "spin")),
                         workload::name_of_primitive);

run_config contended(unsigned blocks_per_sm, unsigned ldst) {
  return {.blocks_per_sm = blocks_per_sm, .ldst = ldst, .rounds = 16, .cluster_blocks = 8};
}

TEST_P(mutexes_on_gpu, lose_no_count) {
  for (const unsigned blocks_per_sm : {1u, 8u})
    workload::expect_right_or_skip(GetParam().make, contended(blocks_per_sm, 0));
}

TEST_P(mutexes_on_gpu, lose_no_count_of_whole_blocks) {
  workload::expect_right_or_skip(GetParam().make, contended(8, 10));
}

class mutexes_of_gpus_on_gpu
    : public test::on_gpu,
      public testing::WithParamInterface<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(all, mutexes_of_gpus_on_gpu,
                         testing::ValuesIn(workload::runnable(all_gpus_locks(), "system_spin")),
                         workload::name_of_primitive);

TEST_P(mutexes_of_gpus_on_gpu, lose_no_count) {
  for (const unsigned gpus : {1u, 2u}) {
    run_config config = contended(2, 0);
    config.gpus = gpus;
    workload::expect_right_or_skip(GetParam().make, config);
  }
}

class mutex_on_gpu : public test::on_gpu {};

TEST_F(mutex_on_gpu, is_right_with_queues_on_a_full_gpu) {
  workload::expect_right_or_skip(make_array, contended(32, 0));
  workload::expect_right_or_skip(make_mcs, contended(32, 0));
}

TEST_F(mutex_on_gpu, tells_waits_and_shares) {
  const auto seen = make_array(contended(4, 0))->measure();
  EXPECT_GT(seen.at("acquisitions_min"), 0);
  EXPECT_GT(seen.at("wait_p50_ns"), 0);
  EXPECT_GT(seen.at("unsynchronized_ns_per_operation"), 0);
}

template <class Lock>
bench::outcome run(const run_config& config) {
  const auto experiment = experiment_at<Lock>(config);
  experiment->launch();
  return experiment->verify();
}

TEST_F(mutex_on_gpu, for_what_is_no_lock_is_wrong) {
  EXPECT_FALSE(run<test::no_lock>(contended(8, 0)).ok());
  EXPECT_FALSE(run<test::no_lock>(contended(8, 10)).ok());
}

/// Never acquired by any thread.
class closed : public test::no_lock {
 public:
  __device__ explicit closed(state& s) : no_lock(s) {}
  __device__ bool try_enter(acquisition&) { return false; }
};

TEST_F(mutex_on_gpu, is_given_up_when_nobody_gets_in) {
  const bench::outcome ended = run<closed>(contended(1, 0));
  EXPECT_TRUE(ended.what == bench::status::timeout);
}

}  // namespace
}  // namespace finesync::mutex
