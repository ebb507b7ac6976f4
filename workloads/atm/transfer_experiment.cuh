// What all experiments of this program share: orders, answers, balances, grid and watchdog.
#pragma once

#include "bank.hpp"
#include "setup.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/launch.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/common/ran.hpp>

#include <cstdint>

namespace finesync::atm {

/// Of each transfer, the turns that it had; where a run is not recorded, nothing.
struct unrecorded {
  __device__ void note(std::uint32_t /*transfer*/, std::uint32_t /*from*/, std::uint32_t /*to*/) {}
};
struct recorder {
  cell<turns>* of;

  __device__ void note(std::uint32_t transfer, std::uint32_t from, std::uint32_t to) {
    of[transfer] = turns{from, to};
  }
};

class transfer_experiment : public bench::experiment {
 public:
  /// \param resident blocks of this shape that the whole GPU holds. \throws launch_error.
  transfer_experiment(const setup& how, unsigned resident);

  void reset() final;
  void launch() final { start(bank_.ref()); }
  bench::outcome verify() final;
  bench::facts ran() const override { return workload::facts_of(shape_); }
  double operations() const final { return bank_.what().transfers; }

 protected:
  /// Every account at its opening balance, and free.
  virtual void open_accounts() = 0;
  /// Queues the transfers.
  virtual void start(const orders_ref& orders) = 0;
  /// The same, recorded. \returns false where no serial order is promised.
  virtual bool start_recorded(const orders_ref& orders, const recorder& record) = 0;
  /// Of a recorded run: the host repeats them one by one.
  virtual std::uint32_t most_recorded() const { return 1 << 16; }
  /// Writes what each account holds.
  virtual void collect(cell<std::uint32_t>* balances) = 0;

  const launch_shape& shape() const { return shape_; }
  /// The same without the blocks of so many SMs, or of all but one, which are left to others.
  launch_shape shape_beside(unsigned sms) const;
  watchdog_ref timeout() const { return watchdog_.ref(); }
  const problem& what() const { return bank_.what(); }

 private:
  bench::outcome verify(const bank& customers);
  bench::outcome verify_order();

  launch_shape shape_;
  bank bank_;
  buffer<std::uint32_t> balances_;
  watchdog watchdog_;
  bool order_verified_ = false;
};

/// Transfers `i`, one by one in the stride of the grid. make(i) runs one of them; false: the
/// watchdog ended it.
template <class Make>
__device__ void each_transfer(std::uint32_t transfers, const watchdog_ref& dog, Make make) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers;
       i += gridDim.x * blockDim.x) {
    if (!make(i)) return;
  }
  dog.tell_done();  // many threads have one transfer, and so begin no other wait
}

}  // namespace finesync::atm
