// Transfers under two locks each, those of the accounts.
#pragma once

#include "transfer_experiment.cuh"

#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_set.cuh>
#include <finesync/locks/lock_table.cuh>

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
  std::uint32_t amount;
  std::uint32_t number;
  Recorder record;
  answer& told;

  __device__ void operator()() {
    std::uint32_t giver = from.balance;
    std::uint32_t taker = to.balance;
    told = move(amount, giver, taker);
    if (told == answer::executed) {
      from.balance = giver;
      to.balance = taker;
    }
    if constexpr (!std::is_same_v<Recorder, unrecorded>) {
      const std::uint32_t of_from = from.transfers;
      const std::uint32_t of_to = to.transfers;
      from.transfers = of_from + 1;
      to.transfers = of_to + 1;
      record.note(number, of_from, of_to);
    }
  }
};

/// 32 registers let an SM hold all the threads it can, which the paper's Listing 3 is run with.
template <class Lock, class Way, class Recorder>
__global__ void __maxnreg__(32)
    transfer_under_locks(lock_table_ref<account_lock<Lock>> accounts, orders_ref orders,
                         watchdog_ref dog, Recorder record) {
  using both = lock_set<lock_table_ref<account_lock<Lock>>, 2, Way>;
  using account = typename account_lock<Lock>::state;
  each_transfer(orders.transfers, dog, [&](std::uint32_t i) {
    const transfer t = orders[i];
    answer told = answer::none;
    transfer_section<account, Recorder> section{
        accounts.state(t.from), accounts.state(t.to), t.amount, i, record, told};
    if (!run_exclusive(both(accounts, {t.from, t.to}), section, dog)) return false;
    orders.tell(i, told);
    return true;
  });
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
      workload::add_fact(ran, "backoff_min_ns", backoff::min_ns);
      workload::add_fact(ran, "backoff_max_ns", backoff::max_ns);
      workload::add_fact(ran, "tries_together", Way::tries_together);
    }
    return ran;
  }

 protected:
  void open_accounts() override {
    accounts_.reset();
    launch_independent(open<Lock>, shape(), accounts_.ref(), what().accounts);
  }
  void start(const orders_ref& orders) override { start_with(orders, unrecorded{}); }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(orders, record);
    return true;
  }
  void collect(cell<std::uint32_t>* balances) override {
    launch_independent(read_balances<Lock>, shape(), accounts_.ref(), what().accounts, balances);
  }

 private:
  template <class Recorder>
  void start_with(const orders_ref& orders, const Recorder& record) {
    launch_cooperative(transfer_under_locks<Lock, Way, Recorder>, shape(), accounts_.ref(), orders,
                       timeout(), record);
  }

  // The recorded kernel, with more registers, runs on the timed one's grid.
  static unsigned resident(unsigned threads_per_block) {
    return std::min(
        max_resident_blocks(transfer_under_locks<Lock, Way, unrecorded>, threads_per_block),
        max_resident_blocks(transfer_under_locks<Lock, Way, recorder>, threads_per_block));
  }

  lock_table<account_lock<Lock>> accounts_;
};

/// What a catalogue entry says.
template <class Lock, class Way>
struct nested {
  using experiment = nested_experiment<Lock, Way>;
};

}  // namespace finesync::atm
