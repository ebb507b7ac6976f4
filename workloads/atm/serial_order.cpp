#include "serial_order.hpp"

#include <workloads/atm/setup.hpp>

#include <cstddef>
#include <vector>

namespace finesync::atm {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// The transfers of each account, in its turns.
class schedule {
 public:
  schedule(std::uint32_t accounts, std::span<const std::uint64_t> orders)
      : first_(accounts + std::size_t{1}), transfers_(2 * orders.size(), nobody) {
    for (const std::uint64_t order : orders) {
      ++first_[transfer_of(order).from + std::size_t{1}];
      ++first_[transfer_of(order).to + std::size_t{1}];
    }
    for (std::size_t a = 0; a < accounts; ++a) first_[a + 1] += first_[a];
  }

  /// False where the account has fewer turns, or this one is another transfer's.
  bool enter(std::uint32_t account, std::uint32_t turn, std::uint32_t transfer) {
    if (turn >= first_[account + std::size_t{1}] - first_[account]) return false;
    std::uint32_t& place = transfers_[first_[account] + turn];
    if (place != nobody) return false;
    place = transfer;
    return true;
  }

  /// The transfer at a turn; nobody's after the last.
  std::uint32_t at(std::uint32_t account, std::uint32_t turn) const {
    const std::size_t place = first_[account] + turn;
    return place < first_[account + std::size_t{1}] ? transfers_[place] : nobody;
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> transfers_;
};

}  // namespace

std::string find_serial_order(std::uint32_t accounts, std::span<const std::uint64_t> orders,
                              std::span<const std::uint8_t> answers,
                              std::span<const turns> recorded) {
  schedule turns_of(accounts, orders);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto transfer = static_cast<std::uint32_t>(i);
    const auto [from, to, amount] = transfer_of(orders[i]);
    if (!turns_of.enter(from, recorded[i].of_from, transfer) ||
        !turns_of.enter(to, recorded[i].of_to, transfer))
      return "transfer " + std::to_string(i) + " shares its turn at an account with another";
  }

  std::vector<std::uint32_t> balances(accounts, opening_balance);
  std::vector<std::uint32_t> next(accounts, 0);
  std::vector<std::uint32_t> ready;
  // Both accounts have come to it; of the two that say so, the second.
  const auto look_at = [&](std::uint32_t account) {
    const std::uint32_t i = turns_of.at(account, next[account]);
    if (i == nobody) return;
    const transfer t = transfer_of(orders[i]);
    if (turns_of.at(t.from, next[t.from]) == i && turns_of.at(t.to, next[t.to]) == i)
      ready.push_back(i);
  };
  for (std::uint32_t account = 0; account < accounts; ++account) {
    const std::uint32_t i = turns_of.at(account, 0);
    if (i != nobody && transfer_of(orders[i]).from == account) look_at(account);
  }
  std::size_t done = 0;
  while (!ready.empty()) {
    const std::uint32_t i = ready.back();
    ready.pop_back();
    const transfer t = transfer_of(orders[i]);
    if (static_cast<answer>(answers[i]) != move(t.amount, balances[t.from], balances[t.to]))
      return "transfer " + std::to_string(i) + " got an answer that no serial order gives";
    ++done;
    ++next[t.from];
    ++next[t.to];
    look_at(t.from);
    // The same transfer may be the next of both.
    if (turns_of.at(t.to, next[t.to]) != turns_of.at(t.from, next[t.from])) look_at(t.to);
  }
  if (done == orders.size()) return "";
  return "no serial order: " + std::to_string(orders.size() - done) +
         " transfers wait for each other";
}

}  // namespace finesync::atm
