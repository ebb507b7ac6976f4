// Transfers that hold only the giver's word, and add to the taker's at any time.
#pragma once

#include <finesync/device/backoff.cuh>
#include <finesync/multi_object/escrow.cuh>
#include <workloads/atm/bank.hpp>
#include <workloads/atm/transfer.hpp>

#include <cstdint>

namespace finesync::atm {

template <scope Scope>
struct escrow_transfers {
  using backoff = random_round_backoff<1, 4>;
  static constexpr recorded_order order = recorded_order::in_escrow;

  template <class Accounts, class Recorder>
  __device__ static bool try_task(const Accounts& accounts, const orders_ref& orders,
                                  const transfer& t, std::uint32_t number, unsigned /*refused*/,
                                  const Recorder& record) {
    transfer_result result = transfer_result::none;
    escrow_history history = {};
    const auto section = [&](std::uint32_t balance) {
      std::uint32_t received = 0;
      result = move(t.amount, balance, received);
      return received;
    };
    if (!escrow<Scope>(accounts[t.from], accounts[t.to]).try_transfer(section, history))
      return false;
    orders.tell(number, result);
    record.note(number, history.held, history.added, history.freed);
    return true;
  }
};

}  // namespace finesync::atm
