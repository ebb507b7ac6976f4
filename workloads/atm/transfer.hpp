// One transfer, as stored in orders and records.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::atm {

struct transfer {
  std::uint32_t from;
  std::uint32_t to;  ///< never the same account
  std::uint32_t amount;
};

/// An order is a transfer in 64 bits: 24 bits each for `from` and `to`, 16 for the amount.
__host__ __device__ constexpr std::uint64_t order_of(const transfer& t) {
  return std::uint64_t{t.from} | std::uint64_t{t.to} << 24 | std::uint64_t{t.amount} << 48;
}
__host__ __device__ constexpr transfer transfer_of(std::uint64_t order) {
  constexpr std::uint32_t account = 0xffffff;
  return {static_cast<std::uint32_t>(order) & account,
          static_cast<std::uint32_t>(order >> 24) & account,
          static_cast<std::uint32_t>(order >> 48)};
}

/// The answer to a client; zero is none yet.
enum class transfer_result : std::uint8_t { none = 0, executed = 1, rejected = 2 };

/// The section: moves the amount, or leaves both balances unchanged.
__host__ __device__ constexpr transfer_result move(std::uint32_t amount, std::uint32_t& from,
                                                   std::uint32_t& to) {
  if (from < amount) return transfer_result::rejected;
  from -= amount;
  to += amount;
  return transfer_result::executed;
}

/// Numbers of earlier transfers of both accounts, as a recorded run writes them.
struct turns {
  std::uint32_t of_from;
  std::uint32_t of_to;
  std::uint32_t from_freed = 0;  ///< in escrow, where others add to a held `from`: the last
};

}  // namespace finesync::atm
