// Serializability: whether a concurrent run equals some serial order. Host only.
#pragma once

#include <workloads/atm/transfer.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace finesync::atm {

/// Searches for a serial order that agrees with each account's recorded turns, and repeats it: each
/// transfer must get the same answer. The turns of each account must be 0, 1, 2, ...
/// \param orders, answers, recorded of the same length. \returns "" or the error, one line.
std::string find_serial_order(std::uint32_t accounts, std::span<const std::uint64_t> orders,
                              std::span<const std::uint8_t> answers,
                              std::span<const turns> recorded);

/// The same if others add to an account while it is held. An account's turns are then its changes:
/// additions, and ends of holds. A transfer takes place when its amount is added. Otherwise it
/// takes place while its giver is held: before the change `of_from`, and until `from_freed`.
std::string find_serial_order_escrow(std::uint32_t accounts, std::span<const std::uint64_t> orders,
                                     std::span<const std::uint8_t> answers,
                                     std::span<const turns> recorded);

}  // namespace finesync::atm
