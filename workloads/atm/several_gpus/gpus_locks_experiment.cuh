// Transfers under the locks of both accounts, on several GPUs: each lock is beside its account.
#pragma once

#include "gpus_transfers.cuh"

#include <finesync/host/launch.cuh>
#include <finesync/several_gpus/gpus_lock_table.cuh>
#include <finesync/several_gpus/symmetric_view.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/locks/multi_lock_experiment.cuh>
#include <workloads/common/grid.cuh>

#include <cstdint>
#include <tuple>
#include <vector>

namespace finesync::atm {

/// \tparam Lock of system scope. \tparam Way how the two locks are acquired: in_order or
/// all_or_nothing.
template <class Lock, class Way>
class gpus_locks_experiment final : public gpus_transfers {
 public:
  explicit gpus_locks_experiment(const run_config& config)
      : gpus_transfers(config,
                       workload::resident_of_all({.threads_per_block = config.threads_per_block},
                                                 kernel<timed>, kernel<recorded>)),
        accounts_(all(), config.problem.accounts,
                  config.padded_accounts ? lock_layout::padded : lock_layout::packed) {}

  bench::parameters effective_parameters() const override {
    return with_parameters_of_both<Lock, Way>(gpus_transfers::effective_parameters());
  }

 private:
  using balances = balances_beside_locks<Lock>;
  using timed = transfer_runner<timed_section>;
  using recorded = transfer_runner<recorded_section>;
  template <class Runner>
  static constexpr auto* kernel =
      transfer_under_locks<gpus_lock_table_ref<account_lock<Lock>>, Way, Runner>;

  void open_accounts() override {
    accounts_.reset();
    for (const unsigned gpu : all().own())
      launch_independent(all().stream_of(gpu), open_all<balances, std::uint32_t>, grids().shape(),
                         balances{accounts_.of_gpu(gpu)}, number_of(gpu), opening_balance);
  }
  void start(const std::vector<bank>& shares) override {
    start_with([&](unsigned me) { return timed{shares[place_of(me)].ref(), 0, {}, {}, {}}; });
  }
  void start_recorded(const std::vector<bank>& shares, const recorded_turns& turns_of) override {
    start_with([&](unsigned me) {
      return recorded{
          shares[place_of(me)].ref(), 0, {{turns_of[place_of(me)].device_data()}}, {}, {}};
    });
  }
  recorded_order order() const override { return recorded_order::by_turns; }
  void collect(unsigned gpu, cell<std::uint32_t>* found) override {
    launch_independent(all().stream_of(gpu), read_all<plain_account, balances>, grids().shape(),
                       balances{accounts_.of_gpu(gpu)}, number_of(gpu), found);
  }

  template <class RunnerOf>
  void start_with(const RunnerOf& runner_of) {
    grids().start(kernel<decltype(runner_of(0))>, [&](unsigned me) {
      return std::tuple(accounts_.ref(me), grids().timeout(me), runner_of(me));
    });
  }
  std::uint32_t number_of(unsigned gpu) const {
    return dealt_to(gpu, all().size(), what().accounts);
  }

  gpus_lock_table<account_lock<Lock>> accounts_;
};

}  // namespace finesync::atm
