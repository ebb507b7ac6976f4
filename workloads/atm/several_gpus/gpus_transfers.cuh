// What the experiments on several GPUs share: a share of the orders on each, and the verification.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch_shape.cuh>
#include <finesync/host/peers.cuh>
#include <workloads/atm/bank.hpp>
#include <workloads/atm/run_config.hpp>
#include <workloads/common/gpus_launch.cuh>

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::atm {

/// Each GPU makes its share of the transfers. Accounts are dealt to the GPUs in turns, account a to
/// GPU a mod n: with two GPUs, half of all accesses cross the link.
class gpus_transfers : public bench::experiment {
 public:
  /// \param resident number of blocks of this shape that the whole GPU holds. \throws launch_error.
  gpus_transfers(const run_config& config, unsigned resident);

  void reset() final;
  void launch() final { start(customers_); }
  bench::outcome verify() final;
  std::string unverified() const final;
  const stream* timed_stream() const override { return launch_.timed_stream(); }
  bench::parameters effective_parameters() const override { return launch_.effective_parameters(); }
  double operations() const final { return what_.transfers; }

 protected:
  /// With the turns of a share's transfers.
  using recorded_turns = std::vector<buffer<turns>>;

  /// Sets every account of this process's GPUs to its opening balance, and unlocks it.
  virtual void open_accounts() = 0;
  /// Queues the transfers. \param all the shares of this process's GPUs, by place_of().
  virtual void start(const std::vector<bank>& all) = 0;
  virtual void start_recorded(const std::vector<bank>& all, const recorded_turns& recorded) = 0;
  virtual recorded_order order() const = 0;
  /// Writes the balances of a GPU's accounts.
  virtual void collect(unsigned gpu, cell<std::uint32_t>* balances) = 0;

  const workload::gpus_launch& grids() const { return launch_; }
  const peers& all() const { return launch_.all(); }
  const problem& what() const { return what_; }
  /// Of a GPU among those of this process.
  unsigned place_of(unsigned gpu) const { return gpu - all().first(); }

 private:
  gpus_transfers(const run_config& config, unsigned resident, peers all);
  gpus_transfers(const run_config& config, const launch_shape& shape, peers&& all);

  std::vector<bank> shares_of(const problem& what) const;
  bench::outcome verify(const std::vector<bank>& own_shares);
  bench::outcome verify_order();
  std::vector<std::uint32_t> balances();

  problem what_;
  workload::gpus_launch launch_;
  std::vector<bank> customers_;  ///< of this process's GPUs
  std::vector<bank> few_;        ///< of recorded runs
};

}  // namespace finesync::atm
