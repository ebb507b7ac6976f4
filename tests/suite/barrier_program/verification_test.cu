// The program's verification of broken barriers. Each must fail, by the data of the rounds or by
// the litmus test; the correct one must pass.
#include "breakable_barrier.cuh"

#include <workloads/barrier/overlapped.cuh>

#include <tests/library/barriers/test_types.hpp>
#include <tests/primitives.hpp>

#include <vector>

namespace finesync::barrier {
namespace {

using test::breakable_barrier;
using test::flaw;

constexpr run_config without_work{.threads_per_block = 33,
                                  .blocks_per_sm = 2,
                                  .rounds = 3,
                                  .litmus = {.rounds = 6, .stores = 16}};

run_config with_work(bool local_exchange) {
  run_config config = without_work;
  config.words_per_thread = 2;
  config.local_exchange = local_exchange;
  return config;
}

/// All orders of loads and stores, with odd and even numbers of words.
std::vector<run_config> loads() {
  std::vector<run_config> found;
  for (const load_order order : {load_order::lines, load_order::late, load_order::early}) {
    for (const unsigned words : {1u, 2u, 3u, 4u}) {
      found.push_back(with_work(words == 3));
      found.back().order = order;
      found.back().words_per_thread = words;
    }
  }
  return found;
}

/// One run under a random schedule.
template <class Experiment>
bench::outcome run_one(const run_config& config, simt::memory_kind memory, unsigned seed) {
  const simt::scoped_settings scoped(simt::random_schedule(seed, memory));
  Experiment experiment(config);
  experiment.launch();
  return experiment.verify();
}
template <flaw Flaw>
bench::outcome run(const run_config& config, simt::memory_kind memory, unsigned seed) {
  return run_one<barrier_experiment<breakable_barrier<Flaw>>>(config, memory, seed);
}

/// Of 20 seeds, the number that fail with a text that begins with `complaint`.
template <class Experiment>
unsigned failing(const run_config& config, simt::memory_kind memory, const std::string& complaint) {
  unsigned count = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const bench::outcome ended = run_one<Experiment>(config, memory, seed);
    if (!ended.ok() && ended.reason.find(complaint) != std::string::npos) ++count;
  }
  return count;
}
template <flaw Flaw>
unsigned rejected(const run_config& config, simt::memory_kind memory,
                  const std::string& complaint) {
  return failing<barrier_experiment<breakable_barrier<Flaw>>>(config, memory, complaint);
}

const std::string litmus_says = "litmus test";
const std::string any;

TEST(verification, passes_a_right_barrier) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const run_config& config : {without_work, with_work(false), with_work(true)}) {
      const bench::outcome ended = run<flaw::none>(config, simt::memory_kind::weak, seed);
      ASSERT_TRUE(ended.ok()) << "seed " << seed << ": " << ended.reason;
    }
  }
}

TEST(verification, passes_a_right_barrier_under_each_load) {
  for (const run_config& config : loads()) {
    const bench::outcome ended = run<flaw::none>(config, simt::memory_kind::weak, 1);
    EXPECT_TRUE(ended.ok()) << config.words_per_thread << " words: " << ended.reason;
  }
}

TEST(verification, rejects_no_barrier_by_the_data_of_each_load) {
  for (const run_config& config : loads())
    EXPECT_EQ(rejected<flaw::never_waits>(config, simt::memory_kind::strong, any), 20u)
        << config.words_per_thread;
}

TEST(verification, tells_how_many_loads_found_what_they_should_not) {
  const bench::outcome ended =
      run<flaw::never_waits>(with_work(false), simt::memory_kind::strong, 1);
  EXPECT_NE(ended.reason.find(" loads after a grid barrier"), std::string::npos) << ended.reason;
  EXPECT_FALSE(ended.reason.starts_with("0 ")) << ended.reason;
}

TEST(verification, rejects_no_barrier_by_the_litmus_test) {
  EXPECT_EQ(rejected<flaw::never_waits>(without_work, simt::memory_kind::strong, litmus_says), 20u);
}

TEST(verification, rejects_a_barrier_that_leaves_one_block_behind) {
  EXPECT_GT(rejected<flaw::leaves_early>(without_work, simt::memory_kind::strong, litmus_says), 0u);
}

TEST(verification, rejects_a_missing_release_by_the_litmus_test) {
  EXPECT_GT(rejected<flaw::no_release>(without_work, simt::memory_kind::weak, litmus_says), 0u);
}

TEST(verification, rejects_a_missing_acquire_by_the_litmus_test) {
  EXPECT_GT(rejected<flaw::no_acquire>(without_work, simt::memory_kind::weak, litmus_says), 0u);
}

TEST(verification, rejects_a_missing_acquire_by_its_data) {
  EXPECT_GT(rejected<flaw::no_acquire>(with_work(false), simt::memory_kind::weak, any), 0u);
}

TEST(verification, sees_missing_fences_in_weak_memory_alone) {
  EXPECT_EQ(rejected<flaw::no_release>(without_work, simt::memory_kind::strong, any), 0u);
  EXPECT_EQ(rejected<flaw::no_acquire>(without_work, simt::memory_kind::strong, any), 0u);
}

TEST(verification, rejects_a_barrier_of_the_sm_that_is_none) {
  EXPECT_EQ(rejected<flaw::forgets_the_sm>(with_work(false), simt::memory_kind::strong, any), 0u);
  EXPECT_GT(rejected<flaw::forgets_the_sm>(with_work(true), simt::memory_kind::strong, any), 0u);
}

TEST(verification, notices_rounds_that_were_not_run) {
  barrier_experiment<breakable_barrier<flaw::none>> experiment(with_work(true));
  EXPECT_FALSE(experiment.verify().ok());
}

/// Right in its first runs; from then on its blocks do not wait.
class worn_barrier {
  using right = breakable_barrier<flaw::none>;

 public:
  struct participant {
    right::participant inner;
    bool waits;
    __device__ bool wait() { return !waits || inner.wait(); }
  };
  struct ref_type {
    using participant = worn_barrier::participant;
    right::ref_type inner;
    bool waits;
    __device__ participant join(const watchdog_ref& watchdog) const {
      return {inner.join(watchdog), waits};
    }
  };

  explicit worn_barrier(const launch_shape& shape) : inner_(shape) {}
  void reset() {
    inner_.reset();
    ++runs_;
  }
  ref_type ref() const { return {inner_.ref(), runs_ < 3}; }

 private:
  right inner_;
  unsigned runs_ = 0;
};

TEST(verification, looks_for_the_order_of_stores_after_every_run) {
  barrier_experiment<worn_barrier> experiment(without_work);
  EXPECT_NE(experiment.unverified(), "");
  EXPECT_TRUE(workload::ending(experiment).ok());
  EXPECT_TRUE(workload::ending(experiment).ok());
  EXPECT_FALSE(workload::ending(experiment).ok());
}

TEST(verification, ends_a_barrier_that_never_opens) {
  EXPECT_THROW(run<flaw::never_opens>(without_work, simt::memory_kind::strong, 1), hang_error);
}

TEST(verification, counts_the_barriers_before_one_that_never_opens) {
  for (const run_config& config : {without_work, with_work(false)}) {
    const bench::outcome ended = run<flaw::opens_twice>(config, simt::memory_kind::strong, 1);
    EXPECT_TRUE(ended.what == bench::status::timeout) << ended.reason;
    EXPECT_TRUE(std::get<bool>(ended.details.at("hung")));
    EXPECT_EQ(std::get<long long>(ended.details.at("operations_done")), 2);
  }
}

template <flaw Flaw, barrier_form Form>
unsigned rejected_beside_work(simt::memory_kind memory, const std::string& complaint) {
  run_config config = without_work;
  config.threads_per_block = 40;
  config.form = Form;
  config.work_cycles = 50;
  return failing<overlapped_experiment<breakable_barrier<Flaw>, Form>>(config, memory, complaint);
}

template <barrier_form Form>
void expect_faults_beside_work_to_be_rejected() {
  using enum simt::memory_kind;
  EXPECT_EQ((rejected_beside_work<flaw::none, Form>(weak, any)), 0u);
  EXPECT_EQ((rejected_beside_work<flaw::never_waits, Form>(strong, litmus_says)), 20u);
  EXPECT_GT((rejected_beside_work<flaw::no_release, Form>(weak, litmus_says)), 0u);
  EXPECT_GT((rejected_beside_work<flaw::no_acquire, Form>(weak, litmus_says)), 0u);
}

TEST(verification, rejects_wrong_barriers_behind_work) {
  expect_faults_beside_work_to_be_rejected<barrier_form::blocking>();
}
TEST(verification, rejects_wrong_barriers_around_work) {
  expect_faults_beside_work_to_be_rejected<barrier_form::split_phase>();
}
TEST(verification, rejects_wrong_barriers_beside_work) {
  expect_faults_beside_work_to_be_rejected<barrier_form::overlapped>();
}

TEST(verification, rejects_a_barrier_that_lets_nobody_work_beside_it) {
  // 8 blocks of 32 threads in the barrier and 8 for the work.
  EXPECT_EQ((rejected_beside_work<flaw::skips_work, barrier_form::overlapped>(
                simt::memory_kind::strong, "64 threads did not run the work")),
            20u);
}

TEST(verification, rejects_a_barrier_that_works_twice) {
  EXPECT_EQ((rejected_beside_work<flaw::works_twice, barrier_form::overlapped>(
                simt::memory_kind::strong, "64 threads did not run the work")),
            20u);
}

template <class Reduction>
unsigned rejected_sum() {
  using barrier = test::flat_counters_with<Reduction>;
  constexpr auto form = barrier_form::split_phase;
  run_config config = without_work;
  config.form = form;
  config.reduction = reduction_kind::sum;
  config.work_cycles = 50;
  return failing<overlapped_experiment<barrier, form>>(config, simt::memory_kind::strong,
                                                       "found a wrong result of the reduction");
}

TEST(verification, rejects_a_sum_that_is_none) {
  EXPECT_EQ(rejected_sum<sum_reduction>(), 0u);
  EXPECT_EQ(rejected_sum<any_reduction>(), 20u);
}

}  // namespace
}  // namespace finesync::barrier
