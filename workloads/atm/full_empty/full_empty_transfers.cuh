// Transfers between balances that are full/empty words.
#pragma once

#include <finesync/device/backoff.cuh>
#include <finesync/multi_object/full_empty_pair.cuh>
#include <workloads/atm/bank.hpp>
#include <workloads/atm/transfer.hpp>
#include <workloads/atm/transfer_section.cuh>

#include <cstdint>

namespace finesync::atm {

/// Takes both balances. The higher bits of a balance count the transfers of its account.
template <scope Scope>
struct full_empty_transfers {
  using word = std::uint64_t;
  using pair = full_empty_pair<word, ~word{0}, Scope>;
  using backoff = random_round_backoff<1, 32>;
  static constexpr recorded_order order = recorded_order::by_turns;
  /// After as many failures, one by one. Lanes that differ in this wait for each other, so few
  /// should.
  static constexpr unsigned simultaneous_attempts = 8;

  template <class Accounts, class Recorder>
  __device__ static bool try_task(const Accounts& accounts, const orders_ref& orders,
                                  const transfer& t, std::uint32_t number, unsigned refused,
                                  const Recorder& record) {
    const transfer_section<counted_account<word>, Recorder> section{record};
    const auto told = [&](word& from, word& to) {
      orders.tell(number, section(from, to, {t.amount, number}));
    };
    return pair(accounts[t.from], accounts[t.to]).try_update(told, refused < simultaneous_attempts);
  }
};

}  // namespace finesync::atm
