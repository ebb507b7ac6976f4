// Whether what many threads did at once is what one could have done after another. Host only.
#pragma once

#include <workloads/atm/transfer.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace finesync::atm {

/// Looks for a serial order of transfers in which every account has them in its recorded turns, and
/// repeats it: each must get the same answer. The turns of each account must be 0, 1, 2, ...
/// \param orders, answers, recorded of the same length. \returns "" or what is wrong, one line.
std::string find_serial_order(std::uint32_t accounts, std::span<const std::uint64_t> orders,
                              std::span<const std::uint8_t> answers,
                              std::span<const turns> recorded);

/// The same where others add to an account while it is held: its turns are its changes, which are
/// additions, and ends of holds. A transfer is made when its amount is added, or else when its
/// giver is held, which is before the change `of_from`, and until `from_freed`.
std::string find_serial_order_escrow(std::uint32_t accounts, std::span<const std::uint64_t> orders,
                                     std::span<const std::uint8_t> answers,
                                     std::span<const turns> recorded);

}  // namespace finesync::atm
