// Transfers between accounts of several GPUs: right on any schedule, and broken ones rejected.
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <workloads/atm/full_empty/escrow_transfers.cuh>
#include <workloads/atm/full_empty/full_empty_transfers.cuh>
#include <workloads/atm/gpus_nested_makers.hpp>
#include <workloads/atm/several_gpus/gpus_locks_experiment.cuh>
#include <workloads/atm/several_gpus/gpus_words_experiment.cuh>

#include <tests/library/harness/harness.hpp>
#include <tests/programs_in_processes.hpp>
#include <tests/programs_on_gpus.hpp>

namespace finesync::atm {
namespace several_gpus_test {
namespace {

run_config on_gpus(unsigned gpus) {
  return {.problem = {.accounts = 6, .transfers = 150},
          .threads_per_block = 36,  // a full warp and a part of one
          .sms = 2,
          .gpus = gpus};
}

class transfers_of_gpus : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(all, transfers_of_gpus,
                         ::testing::ValuesIn(workload::runnable(all_gpus_nested())),
                         workload::name_of_primitive);

TEST_P(transfers_of_gpus, are_serial_on_any_schedule) {
  workload::expect_right_on_gpus(4, [](unsigned gpus) { return GetParam().make(on_gpus(gpus)); });
}

TEST_P(transfers_of_gpus, may_have_fewer_accounts_than_gpus_and_each_on_its_own_line) {
  run_config few = on_gpus(4);
  few.problem.accounts = 2;
  few.padded_accounts = true;
  workload::expect_right(*GetParam().make(few));
}

TEST_P(transfers_of_gpus, are_serial_in_processes) {
  workload::expect_right_in_processes([] {
    run_config config = on_gpus(2);
    config.engine = workload::engine_kind::nccl;
    return GetParam().make(config);
  });
}

TEST_P(transfers_of_gpus, do_not_race) {
  EXPECT_EQ(test::racing_seeds(2,
                               [] {
                                 workload::ending(*GetParam().make(on_gpus(2)));
                                 return true;
                               }),
            0u);
}

TEST_P(transfers_of_gpus, tell_what_ran) {
  const auto experiment = GetParam().make(on_gpus(3));
  EXPECT_EQ(workload::effective_number(*experiment, "blocks"), 2);
  EXPECT_EQ(workload::effective_number(*experiment, "devices"), 3);
  EXPECT_EQ(experiment->operations(), 150);
}

TEST_P(transfers_of_gpus, that_never_ran_or_ran_twice_are_noticed) {
  const auto experiment = GetParam().make(on_gpus(2));
  experiment->reset();
  EXPECT_EQ(experiment->verify().reason.substr(0, 33), "0 of 150 transfers are decided, 0");
  experiment->reset();
  experiment->launch();
  experiment->launch();
  EXPECT_TRUE(experiment->verify().what == bench::status::wrong);
}

TEST(shares_of_orders, are_those_of_one_bank) {
  const problem what{.accounts = 50, .transfers = 100};
  std::vector<std::uint64_t> joined;
  for (const std::uint32_t part : {0u, 1u, 2u}) {
    const std::vector<std::uint64_t> own = bank(what, {part, 3}).orders();
    EXPECT_NEAR(static_cast<double>(own.size()), 33, 1);
    joined.insert(joined.end(), own.begin(), own.end());
  }
  EXPECT_EQ(joined, bank(what).orders());
}

template <class Experiment>
unsigned wrong_in_weak_memory() {
  return workload::failing_runs(test::weak,
                                [] { return std::make_unique<Experiment>(on_gpus(2)); });
}
/// Of 5 schedules, those with a race.
template <class Experiment>
unsigned racing() {
  return test::racing_seeds(5, [] {
    Experiment experiment(on_gpus(2));
    workload::ending(experiment);
    return true;
  });
}

template <class Lock>
using in_order_of = gpus_locks_experiment<Lock, in_order>;

/// A lock of all GPUs, with fences that end at a GPU: a section reads the accounts that its own GPU
/// has.
struct fenced_on_its_gpu : tas_lock<scope::system> {
  using tas_lock::tas_lock;
  static constexpr scope lock_scope = scope::device;
};

TEST(transfers_of_gpus_verification, rejects_locks_that_end_at_a_gpu) {
  EXPECT_EQ(wrong_in_weak_memory<in_order_of<tas_lock<scope::system>>>(), 0u);
  EXPECT_GT(wrong_in_weak_memory<in_order_of<fenced_on_its_gpu>>(), 0u);
  EXPECT_GT(wrong_in_weak_memory<in_order_of<tas_lock<scope::device>>>(), 0u);
  EXPECT_GT(wrong_in_weak_memory<in_order_of<spin_lock<scope::device>>>(), 0u);
  EXPECT_GT(wrong_in_weak_memory<in_order_of<ticket_lock<scope::device>>>(), 0u);
}

// Weak memory does not show all words of a narrow scope: what a thread stores reaches the others in
// the end.
TEST(accounts_of_gpus, in_words_of_a_gpu_alone_race) {
  EXPECT_EQ(racing<gpus_words_experiment<escrow_transfers<scope::system>>>(), 0u);
  EXPECT_GT(racing<gpus_words_experiment<escrow_transfers<scope::device>>>(), 0u);
  EXPECT_EQ(racing<gpus_words_experiment<full_empty_transfers<scope::system>>>(), 0u);
  EXPECT_GT(racing<gpus_words_experiment<full_empty_transfers<scope::device>>>(), 0u);
}

/// The balances are right, but no serial order gives the answers.
struct rejects_all {
  using backoff = random_round_backoff<1, 4>;
  static constexpr recorded_order order = recorded_order::by_turns;

  template <class Accounts, class Recorder>
  __device__ static bool try_task(const Accounts& accounts, const orders_ref& orders,
                                  const transfer& t, std::uint32_t number, unsigned,
                                  const Recorder& record) {
    using account = atomic_ref<std::uint64_t, scope::system>;
    constexpr std::uint64_t turn = std::uint64_t{1} << 32;
    const std::uint64_t from = account(accounts[t.from]).fetch_add(turn, memory_order::relaxed);
    const std::uint64_t to = account(accounts[t.to]).fetch_add(turn, memory_order::relaxed);
    record.note(number, static_cast<std::uint32_t>(from / turn),
                static_cast<std::uint32_t>(to / turn));
    orders.tell(number, transfer_result::rejected);
    return true;
  }
};

TEST(transfers_of_gpus_verification, rejects_answers_without_a_serial_order) {
  gpus_words_experiment<rejects_all> experiment(on_gpus(2));
  EXPECT_TRUE(workload::ending(experiment).what == bench::status::wrong);
  EXPECT_NE(experiment.unverified(), "");
}

/// Never takes anything.
struct tries_for_ever : rejects_all {
  template <class Accounts, class Recorder>
  __device__ static bool try_task(const Accounts& accounts, const orders_ref&, const transfer& t,
                                  std::uint32_t, unsigned, const Recorder&) {
    // It changes memory; else the executor reports a livelock before the watchdog does.
    atomic_ref<std::uint64_t, scope::system>(accounts[t.from]).fetch_add(1, memory_order::relaxed);
    return false;
  }
};

TEST(transfers_of_gpus_verification, says_how_many_are_decided_when_a_wait_times_out) {
  gpus_words_experiment<tries_for_ever> experiment(on_gpus(2));
  const bench::outcome ended = workload::ending(experiment);
  EXPECT_TRUE(ended.what == bench::status::timeout) << ended.reason;
  EXPECT_NE(ended.reason.find("GPU 1: "), std::string::npos) << ended.reason;
  EXPECT_EQ(std::get<long long>(ended.details.at("operations_done")), 0);
}

}  // namespace
}  // namespace several_gpus_test
}  // namespace finesync::atm
