// What the bank-transfer workload does at one point of a sweep.
#pragma once

#include <cstdint>

namespace finesync::atm {

/// How often accounts are picked: all alike, or by Zipf's law with this exponent.
enum class skew { uniform, zipf_80, zipf_99 };

/// Transfers between accounts (ASPLOS'19 section 4.1, ATM): each moves an amount from one account
/// to another unless that one has too little. The fewer accounts, the more transfers collide.
struct problem {
  std::uint32_t accounts;   ///< the paper's collision factor; 2 to 2^22
  std::uint32_t transfers;  ///< transfer i is transfer_of(orders[i])
  skew picks = skew::uniform;
};

inline constexpr std::uint32_t opening_balance = 150;  ///< so small that some are rejected
inline constexpr std::uint32_t most_moved = 64;        ///< by one transfer; the least is 1

/// An experiment verifies that each transfer is decided, that each account holds what the transfers
/// that were executed leave it, nothing negative; and, by a recorded run of fewer transfers, that
/// some serial order of them gives the same answers.
struct run_config {
  atm::problem problem;
  unsigned threads_per_block;
  unsigned blocks_per_sm;          ///< 0: as many as fit
  bool padded_accounts;            ///< each account, and its lock, on a line of its own
  std::uint32_t section_work = 0;  ///< arithmetic in each section, in units of about 1,000 cycles
  /// Sections that touch no memory, only `section_work`: they measure locks and messages alone.
  bool empty_sections = false;
  /// For timetables: transfers of a batch, and groups of accounts.
  std::uint32_t batch = 1 << 22;
  unsigned groups = 64;
  /// Of the blocks, those that serve.
  unsigned servers_percent = 75;
  /// Of one server: warps, spread over the other blocks, that send transfers; 0: one of each.
  unsigned client_warps = 0;
};

}  // namespace finesync::atm
