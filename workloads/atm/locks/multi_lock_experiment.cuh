// Transfers under the locks of both accounts.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/observer.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <finesync/multi_object/retry_per_lane.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/atm/transfer_section.cuh>
#include <workloads/common/observers/lock_handoff_observer.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace finesync::atm {

/// A lock and the account that it protects, in one sector.
template <class Lock>
struct account_lock : Lock {
  struct state : Lock::state {
    cell<std::uint32_t> balance;
    cell<std::uint32_t> transfers;  ///< number of transfers so far, in a recorded run
  };

  __device__ explicit account_lock(state& s) : Lock(s) {}
};

/// The section of one transfer, under its locks.
template <class Section, class State>
struct section_of_states {
  State& from;
  State& to;
  numbered_amount what;
  std::uint32_t section_work;
  Section& section;
  transfer_result result = transfer_result::none;

  __device__ void operator()() {
    if constexpr (std::is_same_v<Section, empty_sections>) {
      section(from, to, what);
    } else {
      if constexpr (std::is_same_v<Section, timed_section>)
        result = section(from.balance, to.balance, what);
      else
        result = section(from, to, what);
      workload::spend_arithmetic(section_work);
    }
  }
};

/// Makes the sections of transfers and stores the answers. Each thread has a copy.
template <class Section, class Watch = workload::no_handoff_watch,
          class ReplyTimer = no_reply_timer>
struct transfer_runner {
  using observer_type = decltype(std::declval<Watch&>().observer_of(0));

  orders_ref orders;
  std::uint32_t section_work;
  Section section;
  Watch locks;
  ReplyTimer watch;

  __device__ void begin(const transfer& t) {
    locks.begin(t.from < t.to ? t.from : t.to, t.from < t.to ? t.to : t.from);
  }
  template <class Locks>
  __device__ auto section_of(const Locks& accounts, const transfer& t, std::uint32_t number) {
    auto& from = accounts.state(t.from);
    using state = std::remove_reference_t<decltype(from)>;
    return section_of_states<Section, state>{
        from, accounts.state(t.to), {t.amount, number}, section_work, section};
  }
  template <class Done>
  __device__ void tell(const Done& done) {
    if constexpr (!std::is_same_v<Section, empty_sections>)
      orders.tell(done.what.number, done.result);
    watch.stop(this_client());
  }
};

/// A thread's transfers as tasks for retry_per_lane().
template <class Both, class Locks, class Runner>
struct transfer_tasks {
  const Locks& accounts;
  Runner& runner;
  typename Runner::observer_type* observers;
  transfer_stream transfers;

  __device__ bool next_task() {
    if (!transfers.next()) return false;
    const transfer& t = transfers.now();
    runner.begin(t);
    runner.watch.start();
    return true;
  }
  __device__ bool try_task(unsigned /*refused*/) {
    const transfer& t = transfers.now();
    auto section = runner.section_of(accounts, t, transfers.number());
    if (!Both(accounts, {t.from, t.to}, observers).try_run(section)) return false;
    runner.tell(section);
    return true;
  }
};

/// With 32 registers per thread, an SM holds its maximum number of threads; the paper runs Listing
/// 3 so.
/// \tparam Table of account_locks.
template <class Table, class Way, class Runner>
__global__ void __maxnreg__(32)
    transfer_under_locks(Table accounts, watchdog_ref watchdog, Runner runner) {
  assume_one_dimension();
  using observer = typename Runner::observer_type;
  using both = multi_lock<Table, 2, Way, observer>;
  observer observers[2] = {runner.locks.observer_of(0), runner.locks.observer_of(1)};
  if constexpr (backs_off_in_rounds<typename Way::backoff>) {
    transfer_tasks<both, Table, Runner> tasks{accounts, runner, observers,
                                              transfer_stream(runner.orders)};
    if (retry_per_lane<typename Way::backoff>(tasks, watchdog)) watchdog.report_done();
  } else {
    each_transfer(runner.orders.transfers, watchdog, [&](std::uint32_t i) {
      const transfer t = runner.orders[i];
      runner.begin(t);
      runner.watch.start();
      auto section = runner.section_of(accounts, t, i);
      if (!run_exclusive(both(accounts, {t.from, t.to}, observers), section, watchdog))
        return false;
      runner.tell(section);
      return true;
    });
  }
  runner.section.finish();
  runner.locks.finish();
}

/// With those of a lock, and of the way in which two are acquired.
template <class Lock, class Way>
bench::parameters with_parameters_of_both(bench::parameters effective) {
  effective = workload::with_parameters_of<Lock>(std::move(effective));
  if constexpr (requires { Way::simultaneous_attempts; }) {
    using backoff = typename Way::backoff;
    if constexpr (backs_off_in_rounds<backoff>) {
      workload::add_parameter(effective, "backoff_min_rounds", backoff::min_rounds);
      workload::add_parameter(effective, "backoff_max_rounds", backoff::max_rounds);
    } else {
      workload::add_parameter(effective, "backoff_min_ns", backoff::min_ns);
      workload::add_parameter(effective, "backoff_max_ns", backoff::max_ns);
      workload::add_parameter(effective, "simultaneous_attempts", Way::simultaneous_attempts);
    }
  }
  return effective;
}

template <class Lock>
struct balances_beside_locks {
  lock_table_ref<account_lock<Lock>> locks;

  __device__ cell<std::uint32_t>& operator[](std::uint32_t account) const {
    return locks.state(account).balance;
  }
};

/// \tparam Way how the two locks are acquired: in_order or all_or_nothing.
template <class Lock, class Way>
class multi_lock_experiment final : public transfer_experiment {
  using locks = lock_table_ref<account_lock<Lock>>;
  using balances = balances_beside_locks<Lock>;
  using timed = transfer_runner<timed_section>;
  using observed = transfer_runner<timed_section, workload::handoff_watch>;
  using answer_timed = transfer_runner<timed_section, workload::no_handoff_watch, reply_timer>;
  using recorded = transfer_runner<recorded_section>;
  using idle = transfer_runner<empty_sections>;

 public:
  explicit multi_lock_experiment(const run_config& config)
      : transfer_experiment(config, resident(config.threads_per_block)),
        accounts_(config.problem.accounts,
                  config.padded_accounts ? lock_layout::padded : lock_layout::packed) {}

  bench::parameters effective_parameters() const override {
    return with_parameters_of_both<Lock, Way>(transfer_experiment::effective_parameters());
  }

  bench::counters measure() override {
    if (sections_are_empty()) return {};
    reset();
    const workload::handoff_record<workload::handoff_watch> record(what().accounts);
    start_with(observed{orders(), section_work(), {}, record.watch(), {}});
    bench::expect_ok(verify_transfers());
    bench::counters seen = record.describe(what().transfers);
    seen.merge(measure_replies(threads(), 1));
    return seen;
  }

 protected:
  void open_accounts() override {
    accounts_.reset();
    launch_independent(open_all<balances, std::uint32_t>, shape(), balances{accounts_.ref()},
                       what().accounts, opening_balance);
  }
  void start(const orders_ref& orders) override {
    start_with(timed{orders, section_work(), {}, {}, {}});
  }
  void start_empty(const orders_ref& orders, const empty_sections& sections) override {
    start_with(idle{orders, 0, sections, {}, {}});
  }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) override {
    start_with(recorded{orders, 0, {record}, {}, {}});
    return true;
  }
  void start_reply_timed(const orders_ref& orders, const reply_timer& watch) override {
    start_with(answer_timed{orders, section_work(), {}, {}, watch});
  }
  void collect(cell<std::uint32_t>* found) override {
    launch_independent(read_all<plain_account, balances>, shape(), balances{accounts_.ref()},
                       what().accounts, found);
  }

 private:
  template <class Runner>
  void start_with(const Runner& runner) {
    launch_cooperative(transfer_under_locks<locks, Way, Runner>, shape(), accounts_.ref(),
                       timeout(), runner);
  }

  // Other kernels use the grid of the timed one.
  static unsigned resident(unsigned threads_per_block) {
    const auto of = [&](auto* kernel) { return max_resident_blocks(kernel, threads_per_block); };
    return std::min({of(transfer_under_locks<locks, Way, timed>),
                     of(transfer_under_locks<locks, Way, observed>),
                     of(transfer_under_locks<locks, Way, answer_timed>),
                     of(transfer_under_locks<locks, Way, recorded>),
                     of(transfer_under_locks<locks, Way, idle>)});
  }

  lock_table<account_lock<Lock>> accounts_;
};

}  // namespace finesync::atm
