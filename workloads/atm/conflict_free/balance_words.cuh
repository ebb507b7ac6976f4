// Accounts that are words of a timetable's groups (handoff_by_version of group_handoff.cuh).
#pragma once

#include <finesync/conflict_free/group_handoff.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/atm/run_config.hpp>
#include <workloads/atm/transfer.hpp>
#include <workloads/atm/transfer_experiment.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::atm {

/// Account a is number a / groups in group a % groups, so that neighbours are apart.
class grouping {
 public:
  /// \param groups at most 256, of accounts below 2^24: for these a product with 2^32 / groups,
  /// rounded up, has the quotient in its upper half, as it is too large by less than 1 / groups.
  __host__ __device__ grouping(unsigned groups, unsigned size)
      : groups_(groups), size_(size), factor_(0xffffffffu / groups + 1) {}

  __host__ __device__ unsigned groups() const { return groups_; }
  /// Accounts of a group.
  __host__ __device__ unsigned size() const { return size_; }

  __device__ unsigned group_of(std::uint32_t account) const {
    return account - place_of(account) * groups_;
  }
  __device__ unsigned place_of(std::uint32_t account) const {
    return groups_ == 1 ? account : __umulhi(account, factor_);
  }

 private:
  unsigned groups_;
  unsigned size_;
  std::uint32_t factor_;
};

/// An account in a recorded run: the balance and, above it, how many transfers there were.
struct counted_balance {
  static constexpr unsigned balance_bits = 20;
  static constexpr std::uint32_t most_transfers = (1u << (32 - balance_bits)) - 1;
  static_assert(opening_balance + most_transfers * most_moved < 1u << balance_bits);

  __device__ explicit counted_balance(std::uint32_t word)
      : balance(word % (1u << balance_bits)), transfers(word >> balance_bits) {}
  __device__ std::uint32_t word() const { return transfers << balance_bits | balance; }

  std::uint32_t balance;
  std::uint32_t transfers;
};

/// A transfer between two accounts in a recorded run, and both turns.
/// \tparam Record a history_recorder, or no_history.
template <class Record>
__device__ transfer_result move_recorded(std::uint32_t amount, std::uint32_t& from,
                                         std::uint32_t& to, const Record& record,
                                         std::uint32_t place) {
  counted_balance giver(from), taker(to);
  const transfer_result result = move(amount, giver.balance, taker.balance);
  record.note(place, giver.transfers++, taker.transfers++);
  from = giver.word();
  to = taker.word();
  return result;
}

/// Owns them.
class balance_words {
 public:
  explicit balance_words(const grouping& groups)
      : groups_(groups), words_(std::size_t{groups.groups()} * groups.size()) {}

  /// All at the opening balance.
  void open(const launch_shape& shape);
  /// Writes what the first `number` accounts hold. \param counted see counted_balance.
  void read(const launch_shape& shape, std::uint32_t number, bool counted,
            cell<std::uint32_t>* balances) const;

  const grouping& groups() const { return groups_; }
  handoff_by_version<std::uint32_t> ref() const { return {words_.device_data()}; }

 private:
  grouping groups_;
  buffer<std::uint64_t> words_;
};

}  // namespace finesync::atm
