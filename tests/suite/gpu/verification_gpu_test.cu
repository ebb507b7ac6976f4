// Programs on the device that must not accept what is wrong: barriers with a flaw, what is no lock
// or no semaphore, a fence's round without its access. And what only a device measures.
#include "gpu_fixture.hpp"

#include <finesync/device/dependent_launch.cuh>
#include <workloads/barrier/barrier_experiment.cuh>
#include <workloads/barrier/relaunch/relaunch_experiment.cuh>
#include <workloads/chain/channels.hpp>
#include <workloads/ht/insert_experiment.cuh>
#include <workloads/ht/locks_makers.hpp>
#include <workloads/instructions/fences/fence_experiment.cuh>
#include <workloads/instructions/instructions.hpp>
#include <workloads/mutex/lock_experiment.cuh>
#include <workloads/mutex/locks_makers.hpp>
#include <workloads/semaphore/semaphore_experiment.cuh>

#include <tests/library/locks/no_lock.hpp>
#include <tests/library/semaphores/no_semaphore.hpp>
#include <tests/primitives.hpp>
#include <tests/suite/barrier_program/breakable_barrier.cuh>
#include <tests/suite/instructions/broken_touch.cuh>
#include <tests/suite/instructions/fence_settings.hpp>

namespace finesync {
namespace barrier {
namespace {

using test::breakable_barrier;
using test::flaw;

run_config grid(unsigned blocks_per_sm, unsigned threads_per_block) {
  return {.threads_per_block = threads_per_block,
          .blocks_per_sm = blocks_per_sm,
          .rounds = 100,
          .words_per_thread = 4};
}

class verification_on_gpu : public test::on_gpu {};

template <flaw Flaw>
bench::outcome verified(const run_config& config) {
  barrier_experiment<breakable_barrier<Flaw>> experiment(config);
  experiment.launch();
  return experiment.verify();
}

TEST_F(verification_on_gpu, passes_a_right_barrier) {
  for (const unsigned blocks_per_sm : {1u, 4u}) {
    const bench::outcome ended = verified<flaw::none>(grid(blocks_per_sm, 64));
    EXPECT_TRUE(ended.ok()) << ended.reason;
  }
}

TEST_F(verification_on_gpu, rejects_a_missing_release_by_the_litmus_test) {
  run_config idle = grid(1, 64);
  idle.words_per_thread = 0;
  bench::outcome ended;
  for (int run = 0; run < 50 && ended.ok(); ++run)  // a single run may be correct by chance
    ended = verified<flaw::no_release>(idle);
  EXPECT_TRUE(ended.reason.starts_with("litmus test")) << ended.reason;
}

TEST_F(verification_on_gpu, rejects_a_missing_acquire) {
  EXPECT_FALSE(verified<flaw::no_acquire>(grid(1, 64)).ok());
}

TEST_F(verification_on_gpu, rejects_no_barrier_and_one_that_leaves_a_block_behind) {
  EXPECT_FALSE(verified<flaw::never_waits>(grid(1, 64)).ok());
  EXPECT_FALSE(verified<flaw::leaves_early>(grid(1, 64)).ok());
}

/// A dependent launch without its wait.
struct without_wait {
  static constexpr kernel_order order = kernel_order::dependent;
  __device__ static void follow() { launch_next_kernel(); }
};

TEST_F(verification_on_gpu, rejects_a_dependent_launch_that_does_not_wait) {
  for (const unsigned words : {0u, 4u}) {
    run_config config = grid(1, 64);
    config.words_per_thread = words;
    try {
      relaunch_experiment<without_wait> experiment(config);
      experiment.launch();
      EXPECT_FALSE(experiment.verify().ok()) << words << " words per thread";
    } catch (const launch_error& why) {
      GTEST_SKIP() << why.what();
    }
  }
}

TEST_F(verification_on_gpu, rejects_a_barrier_of_the_sm_that_is_none) {
  run_config local = grid(4, 64);
  local.local_exchange = true;
  EXPECT_FALSE(verified<flaw::forgets_the_sm>(local).ok());
}

TEST_F(verification_on_gpu, gives_up_on_a_barrier_that_never_opens) {
  EXPECT_TRUE(verified<flaw::never_opens>(grid(1, 64)).what == bench::status::timeout);
}

}  // namespace
}  // namespace barrier

namespace mutex {
namespace {

run_config contended(unsigned blocks_per_sm, unsigned ldst) {
  return {.blocks_per_sm = blocks_per_sm, .ldst = ldst, .rounds = 16, .cluster_blocks = 8};
}

class mutex_on_gpu : public test::on_gpu {};

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

constexpr ht::run_config inserts{
    .problem = {.collision_factor = 256, .inserts = 1 << 16, .table_size = 1 << 16},
    .blocks_per_sm = 2};

template <class Lock>
bench::outcome inserted() {
  ht::lock_experiment<Lock> experiment(inserts);
  experiment.launch();
  return experiment.verify();
}

class ht_on_gpu : public test::on_gpu {};

TEST_F(ht_on_gpu, is_wrong_without_a_lock) {
  EXPECT_FALSE(inserted<test::no_lock>().ok());
}

TEST_F(ht_on_gpu, is_given_up_when_nobody_gets_in) {
  EXPECT_TRUE(inserted<closed>().what == bench::status::timeout);
}

TEST_F(ht_on_gpu, refuses_a_grid_that_does_not_fit) {
  ht::run_config huge = inserts;
  huge.blocks_per_sm = 33;
  EXPECT_THROW(ht::make_spin(huge), launch_error);
}

}  // namespace
}  // namespace mutex

namespace instructions {
namespace {

constexpr unsigned rounds = 20;

class instructions_on_gpu : public test::on_gpu {};

TEST_F(instructions_on_gpu, report_cycles) {
  for (const auto& each : all_instructions()) {
    const run_config chain{.threads_per_block = 64, .rounds = rounds};
    EXPECT_GT(each.make(chain)->measure()["latency_cycles_p50"], -4.0) << each.name;
    run_config many = chain;
    many.what = measure::throughput;
    EXPECT_GT(each.make(many)->measure()["operations_per_cycle_and_sm"], 0.0) << each.name;
  }
}

class fences_on_gpu : public test::on_gpu {};

TEST_F(fences_on_gpu, report_cycles) {
  for (const auto& each : all_fences())
    EXPECT_EQ(each.make({.rounds = rounds})->measure().count("fence_cycles_p50"), 1u) << each.name;
}

TEST_F(fences_on_gpu, with_an_access_left_out_are_rejected) {
  fences::for_all_settings(rounds, [](const run_config& config) {
    fences::fence_experiment<fences::no_fence, fences::broken_touch<rounds>> broken(config);
    EXPECT_EQ(workload::ending(broken).ok(), config.fence.accessed == fences::place::none);
  });
}

}  // namespace
}  // namespace instructions

namespace test::verification_gpu_test {
namespace {

/// A semaphore without exclusion.
struct no_gate {
  explicit no_gate(unsigned) {}
  void reset() {}
  no_semaphore ref() const { return {}; }
};

class no_semaphore_on_a_full_gpu : public on_gpu {};

TEST_F(no_semaphore_on_a_full_gpu, is_rejected) {
  for (const unsigned ldst : {0u, 10u}) {
    for (const bool writer_grows : {false, true}) {
      if (writer_grows && ldst == 0) continue;
      const auto which = semaphore::experiment_at<no_gate>({.size = 10,
                                                            .blocks_per_sm = 32,
                                                            .ldst = ldst,
                                                            .rounds = 4,
                                                            .writer_grows = writer_grows});
      EXPECT_FALSE(workload::ending(*which).ok()) << ldst << ' ' << writer_grows;
    }
  }
}

class chains_on_gpu : public on_gpu {};

TEST_F(chains_on_gpu, report_cycles) {
  for (const auto& each : workload::runnable(chain::all_channels()))
    EXPECT_GT(each.make({.warps = 16})->measure().at("chain_cycles_p50"), 0.0) << each.name;
}

}  // namespace
}  // namespace test::verification_gpu_test
}  // namespace finesync
