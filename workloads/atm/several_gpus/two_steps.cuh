// A transfer in two steps, each on one balance: money is in transit in between. A bound for all
// that change both at once.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <workloads/atm/bank.hpp>
#include <workloads/atm/transfer.hpp>

#include <cstdint>

namespace finesync::atm {

/// Of tries that never fail.
struct no_rounds {
  __device__ void begin() {}
  __device__ bool over() { return true; }
  __device__ void restart() {}
};

/// A way of transfer_words.cuh. A try always succeeds; no order is promised.
template <scope Scope>
struct two_steps {
  using word = std::uint64_t;
  using backoff = no_rounds;
  static constexpr recorded_order order = recorded_order::none;

  template <class Accounts, class Recorder>
  __device__ static bool try_task(const Accounts& accounts, const orders_ref& orders,
                                  const transfer& t, std::uint32_t number, unsigned /*refused*/,
                                  const Recorder&) {
    const atomic_ref<word, Scope> from(accounts[t.from]);
    word balance = from.load(memory_order::relaxed);
    while (balance >= t.amount &&
           !from.compare_exchange(balance, balance - t.amount, memory_order::relaxed)) {
    }
    const bool executed = balance >= t.amount;
    if (executed)
      atomic_ref<word, Scope>(accounts[t.to]).fetch_add(t.amount, memory_order::relaxed);
    orders.tell(number, executed ? transfer_result::executed : transfer_result::rejected);
    return true;
  }
};

}  // namespace finesync::atm
