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
  std::uint32_t extra;
  Recorder record;
  answer result = answer::none;

  __device__ void operator()() {
    std::uint32_t giver = from.balance;
    std::uint32_t taker = to.balance;
    result = move(what.amount, giver, taker);
    // Always, so that both are read at once: behind a branch the second would wait for the first.
    from.balance = giver;
    to.balance = taker;
    if constexpr (!std::is_same_v<Recorder, unrecorded>) {
      const std::uint32_t of_from = from.transfers;
      const std::uint32_t of_to = to.transfers;
      from.transfers = of_from + 1;
      to.transfers = of_to + 1;
      record.note(number, of_from, of_to);
    }
    workload::spend_arithmetic(extra);
  }
};

/// Makes the sections of transfers, and tells the answers. A copy is each thread's.
template <class Recorder, class Stopwatch = no_stopwatch>
struct locking_teller {
  orders_ref orders;
  std::uint32_t extra;
  Recorder record;
  Stopwatch watch;

  __device__ void begin() { watch.start(); }
  template <class Account>
  __device__ transfer_section<Account, Recorder> section(Account& from, Account& to,
                                                         const transfer& what,
                                                         std::uint32_t number) const {
    return {from, to, what, number, extra, record};
  }
  template <class Section>
  __device__ void tell(const Section& done) {
    orders.tell(done.number, done.result);
    watch.stop(this_client());
  }
  __device__ void finish() const {}
};

/// The same of empty sections.
struct idle_teller {
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

/// Tells a probe, if there is one.
template <class Locks>
__device__ void begin(const Locks& accounts, const transfer& t) {
  if constexpr (requires { accounts.probe; }) accounts.probe->begin(t.from);
}

/// A thread's transfers as tasks for try_each().
template <class Both, class Locks, class Teller>
struct transfer_tasks {
  const Locks& accounts;
  Teller& teller;
  transfer_stream transfers;

  __device__ bool next() {
    if (!transfers.next()) return false;
    begin(accounts, transfers.now());
    teller.begin();
    return true;
  }
  __device__ bool attempt(unsigned /*refused*/) {
    const transfer& t = transfers.now();
    auto section =
        teller.section(accounts.state(t.from), accounts.state(t.to), t, transfers.number());
    if (!Both(accounts, {t.from, t.to}).try_run(section)) return false;
    teller.tell(section);
    return true;
  }
};

template <class Way, class Locks, class Teller>
__device__ void make_transfers(const Locks& accounts, const watchdog_ref& watchdog,
                               Teller& teller) {
  using both = lock_set<Locks, 2, Way>;
  if constexpr (passes_over_rounds<typename Way::backoff>) {
    transfer_tasks<both, Locks, Teller> tasks{accounts, teller, transfer_stream(teller.orders)};
    if (try_each<typename Way::backoff>(tasks, watchdog)) watchdog.tell_done();
  } else {
    each_transfer(teller.orders.transfers, watchdog, [&](std::uint32_t i) {
      const transfer t = teller.orders[i];
      begin(accounts, t);
      teller.begin();
      auto section = teller.section(accounts.state(t.from), accounts.state(t.to), t, i);
      if (!run_exclusive(both(accounts, {t.from, t.to}), section, watchdog)) return false;
      teller.tell(section);
      return true;
    });
  }
  teller.finish();
}

/// 32 registers let an SM hold all the threads it can, which the paper's Listing 3 is run with.
/// \tparam Table of account_locks, or one that is watched.
template <class Table, class Way, class Teller>
__global__ void __maxnreg__(32)
    transfer_under_locks(Table accounts, watchdog_ref watchdog, Teller teller) {
  if constexpr (requires { accounts.probe(); }) {
    transfer_probe probe = accounts.probe();
    make_transfers<Way>(accounts.under(probe), watchdog, teller);
    probe.finish();
  } else {
    make_transfers<Way>(accounts, watchdog, teller);
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

/// \tparam Way how the two are taken: in_order or all_or_none.
template <class Lock, class Way>
class nested_experiment final : public transfer_experiment {
  using locks = lock_table_ref<account_lock<Lock>>;
  using watched = watched_table<locks>;
  using watched_teller = locking_teller<unrecorded, stopwatch>;

 public:
  explicit nested_experiment(const setup& how)
      : transfer_experiment(how, resident(how.threads_per_block)),
        accounts_(how.what.accounts,
                  how.padded_accounts ? lock_spacing::padded : lock_spacing::packed) {}

  bench::facts ran() const override {
    bench::facts ran = transfer_experiment::ran();
    workload::add_facts_of<Lock>(ran);
    if constexpr (requires { Way::tries_together; }) {
      using backoff = typename Way::backoff;
      if constexpr (passes_over_rounds<backoff>) {
        workload::add_fact(ran, "pause_min_rounds", backoff::min_rounds);
        workload::add_fact(ran, "pause_max_rounds", backoff::max_rounds);
      } else {
        workload::add_fact(ran, "backoff_min_ns", backoff::min_ns);
        workload::add_fact(ran, "backoff_max_ns", backoff::max_ns);
        workload::add_fact(ran, "tries_together", Way::tries_together);
      }
    }
    return ran;
  }

  bench::counters measure() override {
    if (sections_are_empty()) return {};
    reset();
    const transfer_record record(what().accounts);
    start_with(watched{accounts_.ref(), record.released_at(), record.totals()},
               locking_teller<unrecorded>{orders(), extra(), {}, {}});
    bench::counters seen = record.describe(what().transfers);
    seen.merge(measure_answers(threads(), 1));
    return seen;
  }

 protected:
  void open_accounts() override {
    accounts_.reset();
    launch_independent(open<Lock>, shape(), accounts_.ref(), what().accounts);
  }
  void start(const orders_ref& orders) override {
    start_with(accounts_.ref(), locking_teller<unrecorded>{orders, extra(), {}, {}});
  }
  void start_empty(const orders_ref& orders, const empty_sections& sections) override {
    start_with(accounts_.ref(), idle_teller{orders, sections});
  }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(accounts_.ref(), locking_teller<recorder>{orders, 0, record, {}});
    return true;
  }
  void start_watched(const orders_ref& orders, const stopwatch& watch) override {
    start_with(accounts_.ref(), watched_teller{orders, extra(), {}, watch});
  }
  void collect(cell<std::uint32_t>* balances) override {
    launch_independent(read_balances<Lock>, shape(), accounts_.ref(), what().accounts, balances);
  }

 private:
  template <class Locks, class Teller>
  void start_with(const Locks& accounts, const Teller& teller) {
    launch_cooperative(transfer_under_locks<Locks, Way, Teller>, shape(), accounts, timeout(),
                       teller);
  }

  // Other kernels run on the timed one's grid.
  static unsigned resident(unsigned threads_per_block) {
    const auto resident_with = [&]<class Locks, class Teller>(std::type_identity<Locks>,
                                                              std::type_identity<Teller>) {
      return max_resident_blocks(transfer_under_locks<Locks, Way, Teller>, threads_per_block);
    };
    using timed = locking_teller<unrecorded>;
    constexpr std::type_identity<locks> table;
    return std::min({resident_with(table, std::type_identity<timed>{}),
                     resident_with(table, std::type_identity<locking_teller<recorder>>{}),
                     resident_with(table, std::type_identity<watched_teller>{}),
                     resident_with(table, std::type_identity<idle_teller>{}),
                     resident_with(std::type_identity<watched>{}, std::type_identity<timed>{})});
  }

  lock_table<account_lock<Lock>> accounts_;
};

}  // namespace finesync::atm
