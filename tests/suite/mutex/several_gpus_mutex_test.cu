// Locks of several GPUs in the program: right on any schedule, and broken ones rejected.
#include <finesync/locks/tas_lock.cuh>
#include <finesync/several_gpus/gpus_cohort_lock.cuh>
#include <finesync/several_gpus/gpus_queue_lock.cuh>
#include <workloads/mutex/gpus_locks_makers.hpp>
#include <workloads/mutex/several_gpus/gpus_lock_experiment.cuh>

#include <tests/programs_in_processes.hpp>
#include <tests/programs_on_gpus.hpp>

namespace finesync::mutex {
namespace several_gpus_mutex_test {
namespace {

run_config on_gpus(unsigned gpus) {
  return {.threads_per_block = 33, .rounds = 4, .gpus = gpus};
}

class locks_of_gpus : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(all, locks_of_gpus,
                         ::testing::ValuesIn(workload::runnable(all_gpus_locks())),
                         workload::name_of_primitive);

TEST_P(locks_of_gpus, count_every_section) {
  workload::expect_right_on_gpus(4, [](unsigned gpus) { return GetParam().make(on_gpus(gpus)); });
}

TEST_P(locks_of_gpus, count_every_section_of_processes) {
  workload::expect_right_in_processes([] {
    run_config config = on_gpus(2);
    config.engine = workload::engine_kind::nccl;
    return GetParam().make(config);
  });
}

TEST_P(locks_of_gpus, tell_what_ran) {
  const auto experiment = GetParam().make(on_gpus(3));
  EXPECT_EQ(workload::effective_number(*experiment, "blocks"), 4);
  EXPECT_EQ(workload::effective_number(*experiment, "devices"), 3);
  EXPECT_EQ(experiment->operations(), 3 * 4 * 4);
}

TEST_P(locks_of_gpus, say_what_they_cannot_do) {
  run_config other = on_gpus(2);
  other.ldst = 1;
  workload::expect_infeasible([&] { GetParam().make(other); }, "use --ldst 0");
  other = on_gpus(2);
  other.empty_section = true;
  workload::expect_infeasible([&] { GetParam().make(other); }, "--section count");
}

TEST(gpus_cohort_experiment, has_the_sections_in_a_row_that_it_is_given) {
  const auto sections = [](unsigned asked) {
    run_config config = on_gpus(2);
    config.sections_in_a_row = asked;
    return workload::effective_number(*make_gpus_cohort(config), "sections_in_a_row");
  };
  EXPECT_EQ(sections(0), 64);
  EXPECT_EQ(sections(16), 16);
}

template <class Lock>
unsigned wrong_in_weak_memory() {
  return workload::failing_runs(simt::memory_kind::weak, [] {
    return std::make_unique<gpus_lock_experiment<Lock>>(on_gpus(2));
  });
}

struct crosses_at_device_scope : gpus_fences {
  __device__ static void release_to_all() { fence<memory_order::release, scope::device>(); }
};

TEST(gpus_verification, rejects_locks_that_end_at_a_gpu) {
  EXPECT_GT(wrong_in_weak_memory<tas_lock<scope::device>>(), 0u);
  EXPECT_GT(wrong_in_weak_memory<gpus_queue_lock<fenced_data<crosses_at_device_scope>>>(), 0u);
  EXPECT_EQ(wrong_in_weak_memory<gpus_queue_lock<fenced_data<>>>(), 0u);
}

/// Does not wait for its turn.
class impatient_lock : public gpus_value_passing_lock {
 public:
  using gpus_value_passing_lock::gpus_value_passing_lock;
  __device__ bool try_enter(acquisition& r) {
    gpus_value_passing_lock::try_enter(r);
    return true;
  }
  __device__ bool try_enter_burst(acquisition& r) { return try_enter(r); }
};

TEST(gpus_verification, rejects_a_word_that_is_not_handed_over) {
  EXPECT_GT(wrong_in_weak_memory<impatient_lock>(), 0u);
}

/// Never opens.
class closed_lock : public gpus_array_lock {
 public:
  using gpus_array_lock::gpus_array_lock;
  __device__ bool try_enter(acquisition&) {
    enqueue();  // changes memory; else the executor reports a livelock before the watchdog does
    return false;
  }
  __device__ bool try_enter_burst(acquisition& r) { return try_enter(r); }
};

TEST(gpus_verification, says_who_waits_for_a_lock_that_never_opens) {
  gpus_lock_experiment<closed_lock> experiment(on_gpus(2));
  const bench::outcome ended = workload::ending(experiment);
  EXPECT_TRUE(ended.what == bench::status::timeout) << ended.reason;
  EXPECT_NE(ended.reason.find("GPU 1: "), std::string::npos) << ended.reason;
  EXPECT_EQ(std::get<long long>(ended.details.at("operations_done")), 0);
}

}  // namespace
}  // namespace several_gpus_mutex_test
}  // namespace finesync::mutex
