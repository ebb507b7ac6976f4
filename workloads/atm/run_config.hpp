// Parameters of the bank transfers at one point of a sweep.
#pragma once

#include <workloads/common/engine/engine_kind.hpp>

#include <cstdint>

namespace finesync::atm {

/// Transfers between accounts (ASPLOS'19 section 4.1, ATM). Each moves an amount from one account
/// to another, unless the first has too little. Fewer accounts mean more contention.
struct problem {
  std::uint32_t accounts;   ///< the paper's collision factor; 2 to 2^22
  std::uint32_t transfers;  ///< transfer i is transfer_of(orders[i])
  double skew = 0;          ///< the accounts follow Zipf's law with this exponent; 0: uniform
};

inline constexpr std::uint32_t opening_balance = 150;  ///< so small that some transfers fail
inline constexpr std::uint32_t max_moved = 64;         ///< largest amount of a transfer

/// The experiment verifies that each transfer is decided, and that each account holds the balance
/// after the executed transfers, never negative. A recorded run of fewer transfers verifies that
/// some serial order gives the same answers.
struct run_config {
  atm::problem problem;
  unsigned threads_per_block = 64;
  unsigned blocks_per_sm = 1;      ///< 0: as many as fit
  unsigned sms = 0;                ///< blocks_per_sm blocks for each of this many SMs; 0: all
  bool padded_accounts = false;    ///< each account, and its lock, on its own cache line
  std::uint32_t section_work = 0;  ///< arithmetic in each section, in units of about 1,000 cycles
  /// Empty sections access no memory and only execute `section_work`, to measure locks and
  /// messages.
  bool empty_sections = false;
  /// For conflict-free rounds: transfers of a batch, and groups of accounts (0: at most 64, as
  /// many as fit).
  std::uint32_t batch = 1 << 22;
  unsigned groups = 64;
  unsigned servers_percent = 75;
  /// Warps per server that send transfers, spread over the other blocks; 0: one in each.
  unsigned client_warps = 0;
  unsigned gpus = 1;                                            ///< with a grid each
  workload::engine_kind engine = workload::engine_kind::peers;  ///< of these GPUs
};

}  // namespace finesync::atm
