// Orders, answers, and the check of a run's results. The experiment keeps the accounts.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/atm/run_config.hpp>
#include <workloads/atm/transfer.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace finesync::atm {

/// The kernel side; trivially copyable, passed by value.
struct orders_ref {
  std::uint32_t transfers;
  const cell<std::uint64_t>* orders;
  cell<std::uint8_t>* answers;  ///< one for each order

  __device__ transfer operator[](std::uint32_t i) const { return transfer_of(orders[i]); }
  __device__ void tell(std::uint32_t i, transfer_result what) const {
    answers[i] = static_cast<std::uint8_t>(what);
  }
};

/// A share of the orders: one of `parts`, equal but for an order.
struct share {
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
};

/// What the turns of a recorded run show of the order of its transfers.
enum class recorded_order {
  none,
  by_turns,
  in_escrow,  ///< others add to the giver's account while it is held
};

/// What the answers to a share of the orders say.
struct settlement {
  std::uint32_t decided;
  std::vector<std::uint32_t> moved;  ///< what the executed add to each account, modulo 2^32
};

/// Owner of a problem's orders, or of a share of them, drawn on the device, and of the clients'
/// answers.
class bank {
 public:
  /// \throws std::bad_alloc when device memory is used up.
  explicit bank(const problem& what, const share& own = {}, const stream& on = {});

  void reset() { answers_.fill_bytes(0); }

  /// Checks that all transfers are decided, and that each account holds the balance after the
  /// executed ones. \param decided of all shares of the orders. \param moved of each share.
  /// \param balances of all accounts, after the run.
  static bench::outcome check(const problem& what, std::uint64_t decided,
                              std::span<const std::vector<std::uint32_t>> moved,
                              std::span<const std::uint32_t> balances);
  bench::outcome check(const buffer<std::uint32_t>& balances) const {
    const settlement own = settled();
    return check(what_, own.decided, {&own.moved, 1}, balances.to_host());
  }

  std::uint32_t decided() const;
  settlement settled() const;

  /// Checks that a run with recorded turns is serializable. All parameters are those of all orders.
  static bench::outcome check_order(const problem& what, const std::vector<std::uint64_t>& orders,
                                    const std::vector<std::uint8_t>& answers,
                                    std::span<const turns> recorded, recorded_order how);
  bench::outcome check_order(const buffer<turns>& recorded, recorded_order how) const {
    return check_order(what_, orders(), answers(), recorded.to_host(), how);
  }

  orders_ref ref() const { return {transfers(), orders_.device_data(), answers_.device_data()}; }
  const stream& own_stream() const { return orders_.own_stream(); }
  /// Of this share.
  std::vector<std::uint64_t> orders() const { return orders_.to_host(); }
  std::vector<std::uint8_t> answers() const { return answers_.to_host(); }
  std::uint32_t transfers() const { return static_cast<std::uint32_t>(orders_.size()); }
  const problem& what() const { return what_; }

 private:
  problem what_;
  buffer<std::uint64_t> orders_;
  buffer<std::uint8_t> answers_;
};

}  // namespace finesync::atm
