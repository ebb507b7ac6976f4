// The section of a transfer, over its two accounts: the same under locks, as full/empty words, on
// servers and in conflict-free rounds. Only the encoding of an account differs (accounts.cuh).
#pragma once

#include <finesync/device/platform.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer.hpp>
#include <workloads/atm/transfer_experiment.cuh>

#include <cstdint>
#include <type_traits>

namespace finesync::atm {

/// The argument of a transfer's section.
struct numbered_amount {
  std::uint32_t amount;
  std::uint32_t number;
};

/// Moves an amount from one account to another.
/// \tparam Account encoding of both accounts: of() decodes the section's data, put() encodes them.
/// \tparam Recorder a history_recorder, or no_history.
template <class Account, class Recorder>
struct transfer_section {
  Recorder record;

  template <class Kept>
  __device__ transfer_result operator()(Kept& from, Kept& to, const numbered_amount& what) const {
    Account giver = Account::of(from);
    Account taker = Account::of(to);
    const transfer_result result = move(what.amount, giver.balance, taker.balance);
    record.note(what.number, giver.transfers++, taker.transfers++);
    // Unconditionally, so that both are read at once: after a branch the second would wait for the
    // first.
    giver.put(from);
    taker.put(to);
    return result;
  }
  __device__ void finish() const {}
};

using timed_section = transfer_section<plain_account, no_history>;
using recorded_section = transfer_section<account_with_turns, history_recorder>;

/// The same between two accounts in a fixed order: the first pays the second, or is paid if the
/// amount is negative. A word of 32 bits holds an account.
template <class Account, class Recorder>
struct two_way_transfer {
  static constexpr std::uint32_t empty = ~0u;
  Recorder record;

  __device__ transfer_result operator()(std::uint32_t& first, std::uint32_t& second,
                                        std::int32_t paid, std::uint32_t number) const {
    if constexpr (std::is_same_v<Account, plain_account>) {
      // In few instructions, as other threads wait for both accounts. One test checks both for
      // overdraft: the account that is paid cannot be overdrawn, as balances stay below 2^31.
      const std::uint32_t left = first - static_cast<std::uint32_t>(paid);
      const std::uint32_t other_left = second + static_cast<std::uint32_t>(paid);
      const bool rejected = static_cast<std::int32_t>(left | other_left) < 0;
      first = rejected ? first : left;
      second = rejected ? second : other_left;
      return rejected ? transfer_result::rejected : transfer_result::executed;
    } else {
      // By value: a choice between references would put both into local memory.
      const bool swapped = paid < 0;
      std::uint32_t from = swapped ? second : first;
      std::uint32_t to = swapped ? first : second;
      const auto amount = static_cast<std::uint32_t>(swapped ? -paid : paid);
      const transfer_section<Account, Recorder> section{record};
      const transfer_result result = section(from, to, {amount, number});
      first = swapped ? to : from;
      second = swapped ? from : to;
      return result;
    }
  }
};

}  // namespace finesync::atm
