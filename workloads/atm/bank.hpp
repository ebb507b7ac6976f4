// Orders, answers, and the check of a run's results. The experiment keeps the accounts.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/atm/run_config.hpp>
#include <workloads/atm/transfer.hpp>

#include <cstdint>

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

/// Owner of a problem's orders, drawn on the device, and of the clients' answers.
class bank {
 public:
  /// \throws std::bad_alloc when device memory is used up.
  explicit bank(const problem& what);

  void reset() { answers_.fill_bytes(0); }

  /// Checks that all transfers are decided, and that each account holds the balance after the
  /// executed ones. \param balances of all accounts, after the run.
  bench::outcome check(const buffer<std::uint32_t>& balances) const;

  std::uint32_t decided() const;

  /// Checks that a run with recorded turns is serializable.
  bench::outcome check_order(const buffer<turns>& recorded) const;
  /// The same if others add to the giver's account while it is held.
  bench::outcome check_order_in_escrow(const buffer<turns>& recorded) const;

  orders_ref ref() const {
    return {what_.transfers, orders_.device_data(), answers_.device_data()};
  }
  const problem& what() const { return what_; }

 private:
  problem what_;
  buffer<std::uint64_t> orders_;
  buffer<std::uint8_t> answers_;
};

}  // namespace finesync::atm
