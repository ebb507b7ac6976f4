// Transfers under two locks each, those of the accounts.
#pragma once

#include "lock_handoff_observer.cuh"

#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <finesync/multi_object/retry_per_lane.cuh>
#include <workloads/atm/transfer_experiment.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace finesync::atm {

/// A lock, and beside it the account that it protects: they come in one sector.
template <class Lock>
struct account_lock : Lock {
  struct state : Lock::state {
    cell<std::uint32_t> balance;
    cell<std::uint32_t> transfers;  ///< that it has had, in a recorded run
  };

  __device__ explicit account_lock(state& s) : Lock(s) {}
};

/// Moves the amount under both locks, and answers.
template <class Account, class Recorder>
struct transfer_section {
  Account& from;
  Account& to;
  transfer what;
  std::uint32_t number;
  std::uint32_t section_work;
  Recorder record;
  transfer_result result = transfer_result::none;

  __device__ void operator()() {
    std::uint32_t giver = from.balance;
    std::uint32_t taker = to.balance;
    result = move(what.amount, giver, taker);
    // Always, so that both are read at once: behind a branch the second would wait for the first.
    from.balance = giver;
    to.balance = taker;
    if constexpr (!std::is_same_v<Recorder, no_history>) {
      const std::uint32_t of_from = from.transfers;
      const std::uint32_t of_to = to.transfers;
      from.transfers = of_from + 1;
      to.transfers = of_to + 1;
      record.note(number, of_from, of_to);
    }
    workload::spend_arithmetic(section_work);
  }
};

/// Makes the sections of transfers, and tells the answers. A copy is each thread's.
template <class Recorder, class ReplyTimer = no_reply_timer>
struct transfer_runner {
  orders_ref orders;
  std::uint32_t section_work;
  Recorder record;
  ReplyTimer watch;

  __device__ void begin() { watch.start(); }
  template <class Account>
  __device__ transfer_section<Account, Recorder> section(Account& from, Account& to,
                                                         const transfer& what,
                                                         std::uint32_t number) const {
    return {from, to, what, number, section_work, record};
  }
  template <class Section>
  __device__ void tell(const Section& done) {
    orders.tell(done.number, done.result);
    watch.stop(this_client());
  }
  __device__ void finish() const {}
};

/// The same of empty sections.
struct empty_runner {
  orders_ref orders;
  empty_sections sections;

  struct empty_section {
    empty_sections& all;
    __device__ void operator()() const { all.run(); }
  };

  __device__ void begin() const {}
  template <class Account>
  __device__ empty_section section(Account&, Account&, const transfer&, std::uint32_t) {
    return {sections};
  }
  __device__ void tell(const empty_section&) const {}
  __device__ void finish() const { sections.finish(); }
};

/// Tells an observer, if there is one.
template <class Locks>
__device__ void begin(const Locks& accounts, const transfer& t) {
  if constexpr (requires { accounts.observer; }) accounts.observer->begin(t.from);
}

/// A thread's transfers as tasks for retry_per_lane().
template <class Both, class Locks, class Runner>
struct transfer_tasks {
  const Locks& accounts;
  Runner& runner;
  transfer_stream transfers;

  __device__ bool next_task() {
    if (!transfers.next()) return false;
    begin(accounts, transfers.now());
    runner.begin();
    return true;
  }
  __device__ bool try_task(unsigned /*refused*/) {
    const transfer& t = transfers.now();
    auto section =
        runner.section(accounts.state(t.from), accounts.state(t.to), t, transfers.number());
    if (!Both(accounts, {t.from, t.to}).try_run(section)) return false;
    runner.tell(section);
    return true;
  }
};

template <class Way, class Locks, class Runner>
__device__ void make_transfers(const Locks& accounts, const watchdog_ref& watchdog,
                               Runner& runner) {
  using both = multi_lock<Locks, 2, Way>;
  if constexpr (backs_off_in_rounds<typename Way::backoff>) {
    transfer_tasks<both, Locks, Runner> tasks{accounts, runner, transfer_stream(runner.orders)};
    if (retry_per_lane<typename Way::backoff>(tasks, watchdog)) watchdog.tell_done();
  } else {
    each_transfer(runner.orders.transfers, watchdog, [&](std::uint32_t i) {
      const transfer t = runner.orders[i];
      begin(accounts, t);
      runner.begin();
      auto section = runner.section(accounts.state(t.from), accounts.state(t.to), t, i);
      if (!run_exclusive(both(accounts, {t.from, t.to}), section, watchdog)) return false;
      runner.tell(section);
      return true;
    });
  }
  runner.finish();
}

/// 32 registers let an SM hold all the threads it can, which the paper's Listing 3 is run with.
/// \tparam Table of account_locks, or one that is observed.
template <class Table, class Way, class Runner>
__global__ void __maxnreg__(32)
    transfer_under_locks(Table accounts, watchdog_ref watchdog, Runner runner) {
  if constexpr (requires { accounts.observer(); }) {
    handoff_observer observer = accounts.observer();
    make_transfers<Way>(accounts.under(observer), watchdog, runner);
    observer.finish();
  } else {
    make_transfers<Way>(accounts, watchdog, runner);
  }
}

template <class Lock>
__global__ void open(lock_table_ref<account_lock<Lock>> accounts, std::uint32_t number) {
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < number;
       a += gridDim.x * blockDim.x)
    accounts.state(a).balance = opening_balance;
}

template <class Lock>
__global__ void read_balances(lock_table_ref<account_lock<Lock>> accounts, std::uint32_t number,
                              cell<std::uint32_t>* balances) {
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < number;
       a += gridDim.x * blockDim.x)
    balances[a] = accounts.state(a).balance;
}

/// \tparam Way how the two are taken: in_order or all_or_nothing.
template <class Lock, class Way>
class multi_lock_experiment final : public transfer_experiment {
  using locks = lock_table_ref<account_lock<Lock>>;
  using observed = observed_table<locks>;
  using reply_timed_runner = transfer_runner<no_history, reply_timer>;

 public:
  explicit multi_lock_experiment(const run_config& config)
      : transfer_experiment(config, resident(config.threads_per_block)),
        accounts_(config.problem.accounts,
                  config.padded_accounts ? lock_layout::padded : lock_layout::packed) {}

  bench::parameters effective_parameters() const override {
    bench::parameters effective = transfer_experiment::effective_parameters();
    workload::add_parameters_of<Lock>(effective);
    if constexpr (requires { Way::tries_together; }) {
      using backoff = typename Way::backoff;
      if constexpr (backs_off_in_rounds<backoff>) {
        workload::add_parameter(effective, "backoff_min_rounds", backoff::min_rounds);
        workload::add_parameter(effective, "backoff_max_rounds", backoff::max_rounds);
      } else {
        workload::add_parameter(effective, "backoff_min_ns", backoff::min_ns);
        workload::add_parameter(effective, "backoff_max_ns", backoff::max_ns);
        workload::add_parameter(effective, "simultaneous_attempts", Way::tries_together);
      }
    }
    return effective;
  }

  bench::counters measure() override {
    if (sections_are_empty()) return {};
    reset();
    const handoff_record record(what().accounts);
    start_with(observed{accounts_.ref(), record.released_at(), record.totals()},
               transfer_runner<no_history>{orders(), section_work(), {}, {}});
    bench::counters seen = record.describe(what().transfers);
    seen.merge(measure_replies(threads(), 1));
    return seen;
  }

 protected:
  void open_accounts() override {
    accounts_.reset();
    launch_independent(open<Lock>, shape(), accounts_.ref(), what().accounts);
  }
  void start(const orders_ref& orders) override {
    start_with(accounts_.ref(), transfer_runner<no_history>{orders, section_work(), {}, {}});
  }
  void start_empty(const orders_ref& orders, const empty_sections& sections) override {
    start_with(accounts_.ref(), empty_runner{orders, sections});
  }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) override {
    start_with(accounts_.ref(), transfer_runner<history_recorder>{orders, 0, record, {}});
    return true;
  }
  void start_reply_timed(const orders_ref& orders, const reply_timer& watch) override {
    start_with(accounts_.ref(), reply_timed_runner{orders, section_work(), {}, watch});
  }
  void collect(cell<std::uint32_t>* balances) override {
    launch_independent(read_balances<Lock>, shape(), accounts_.ref(), what().accounts, balances);
  }

 private:
  template <class Locks, class Runner>
  void start_with(const Locks& accounts, const Runner& runner) {
    launch_cooperative(transfer_under_locks<Locks, Way, Runner>, shape(), accounts, timeout(),
                       runner);
  }

  // Other kernels run on the timed one's grid.
  static unsigned resident(unsigned threads_per_block) {
    const auto resident_with = [&]<class Locks, class Runner>(std::type_identity<Locks>,
                                                              std::type_identity<Runner>) {
      return max_resident_blocks(transfer_under_locks<Locks, Way, Runner>, threads_per_block);
    };
    using timed = transfer_runner<no_history>;
    constexpr std::type_identity<locks> table;
    return std::min({resident_with(table, std::type_identity<timed>{}),
                     resident_with(table, std::type_identity<transfer_runner<history_recorder>>{}),
                     resident_with(table, std::type_identity<reply_timed_runner>{}),
                     resident_with(table, std::type_identity<empty_runner>{}),
                     resident_with(std::type_identity<observed>{}, std::type_identity<timed>{})});
  }

  lock_table<account_lock<Lock>> accounts_;
};

}  // namespace finesync::atm
