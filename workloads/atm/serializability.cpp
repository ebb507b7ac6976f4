#include "serializability.hpp"

#include <workloads/atm/run_config.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

namespace finesync::atm {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// The transfers of each account, by turn.
class schedule {
 public:
  /// \param arrives whether a transfer has a turn at the receiving account.
  template <class Arrives>
  schedule(std::uint32_t accounts, std::span<const std::uint64_t> orders, Arrives arrives)
      : first_(accounts + std::size_t{1}), transfers_(2 * orders.size(), none) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
      ++first_[transfer_of(orders[i]).from + std::size_t{1}];
      if (arrives(i)) ++first_[transfer_of(orders[i]).to + std::size_t{1}];
    }
    for (std::size_t a = 0; a < accounts; ++a) first_[a + 1] += first_[a];
  }

  /// \returns false if the account has fewer turns, or if the turn belongs to another transfer.
  bool enter(std::uint32_t account, std::uint32_t turn, std::uint32_t transfer) {
    if (turn >= first_[account + std::size_t{1}] - first_[account]) return false;
    std::uint32_t& place = transfers_[first_[account] + turn];
    if (place != none) return false;
    place = transfer;
    return true;
  }

  /// The transfer at a turn; none after the last.
  std::uint32_t at(std::uint32_t account, std::uint32_t turn) const {
    const std::size_t place = first_[account] + turn;
    return place < first_[account + std::size_t{1}] ? transfers_[place] : none;
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> transfers_;
};

std::string shared_turn(std::size_t transfer) {
  return "transfer " + std::to_string(transfer) + " shares its turn at an account with another";
}
std::string unserial_answer(std::size_t transfer) {
  return "transfer " + std::to_string(transfer) + " got an answer that no serial order gives";
}

}  // namespace

std::string find_serial_order(std::uint32_t accounts, std::span<const std::uint64_t> orders,
                              std::span<const std::uint8_t> answers,
                              std::span<const turns> recorded) {
  schedule turns_of(accounts, orders, [](std::size_t) { return true; });
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto transfer = static_cast<std::uint32_t>(i);
    const auto [from, to, amount] = transfer_of(orders[i]);
    if (!turns_of.enter(from, recorded[i].of_from, transfer) ||
        !turns_of.enter(to, recorded[i].of_to, transfer))
      return shared_turn(i);
  }

  std::vector<std::uint32_t> balances(accounts, opening_balance);
  std::vector<std::uint32_t> next(accounts, 0);
  std::vector<std::uint32_t> ready;
  // The transfer is next at both accounts; it is added when the second account is checked.
  const auto look_at = [&](std::uint32_t account) {
    const std::uint32_t i = turns_of.at(account, next[account]);
    if (i == none) return;
    const transfer t = transfer_of(orders[i]);
    if (turns_of.at(t.from, next[t.from]) == i && turns_of.at(t.to, next[t.to]) == i)
      ready.push_back(i);
  };
  for (std::uint32_t account = 0; account < accounts; ++account) {
    const std::uint32_t i = turns_of.at(account, 0);
    if (i != none && transfer_of(orders[i]).from == account) look_at(account);
  }
  std::size_t done = 0;
  while (!ready.empty()) {
    const std::uint32_t i = ready.back();
    ready.pop_back();
    const transfer t = transfer_of(orders[i]);
    if (static_cast<transfer_result>(answers[i]) !=
        move(t.amount, balances[t.from], balances[t.to]))
      return unserial_answer(i);
    ++done;
    ++next[t.from];
    ++next[t.to];
    look_at(t.from);
    // The same transfer may be next at both accounts.
    if (turns_of.at(t.to, next[t.to]) != turns_of.at(t.from, next[t.from])) look_at(t.to);
  }
  if (done == orders.size()) return "";
  return "no serial order: " + std::to_string(orders.size() - done) +
         " transfers wait for each other";
}

std::string find_serial_order_escrow(std::uint32_t accounts, std::span<const std::uint64_t> orders,
                                     std::span<const std::uint8_t> answers,
                                     std::span<const turns> recorded) {
  const auto executed = [&](std::size_t i) {
    return static_cast<transfer_result>(answers[i]) == transfer_result::executed;
  };
  // changes: the additions and releases of each account; holders: the holder before each change.
  schedule changes(accounts, orders, executed);
  schedule holders(accounts, orders, executed);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto transfer = static_cast<std::uint32_t>(i);
    const auto [from, to, amount] = transfer_of(orders[i]);
    if (!holders.enter(from, recorded[i].of_from, transfer) ||
        !changes.enter(from, recorded[i].from_freed, transfer) ||
        (executed(i) && !changes.enter(to, recorded[i].of_to, transfer)))
      return shared_turn(i);
  }

  std::vector<std::uint32_t> balances(accounts, opening_balance);
  std::vector<std::uint32_t> next(accounts, 0);
  std::vector<std::uint32_t> holder(accounts, none);
  std::vector<bool> may_add(orders.size());
  std::vector<bool> may_free(orders.size());
  std::vector<std::uint32_t> to_visit(accounts);
  std::iota(to_visit.begin(), to_visit.end(), 0u);
  std::size_t freed = 0;
  while (!to_visit.empty()) {
    const std::uint32_t account = to_visit.back();
    to_visit.pop_back();
    while (true) {
      const std::uint32_t comes = holders.at(account, next[account]);
      if (comes != none && holder[account] == none) {
        holder[account] = comes;
        may_add[comes] = executed(comes);
        may_free[comes] = !executed(comes);
        const transfer t = transfer_of(orders[comes]);
        if (!executed(comes) &&
            move(t.amount, balances[t.from], balances[t.to]) != transfer_result::rejected)
          return unserial_answer(comes);
        to_visit.push_back(t.to);
      }
      const std::uint32_t i = changes.at(account, next[account]);
      if (i == none) break;
      const transfer t = transfer_of(orders[i]);
      if (t.to == account) {
        if (!may_add[i]) break;
        if (move(t.amount, balances[t.from], balances[t.to]) != transfer_result::executed)
          return unserial_answer(i);
        may_free[i] = true;
        to_visit.push_back(t.from);
      } else {
        if (holder[account] != i || !may_free[i]) break;
        holder[account] = none;
        ++freed;
      }
      ++next[account];
    }
  }
  if (freed == orders.size()) return "";
  return "no serial order: " + std::to_string(orders.size() - freed) +
         " transfers wait for each other";
}

}  // namespace finesync::atm
