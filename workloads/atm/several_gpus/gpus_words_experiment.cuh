// Transfers between balances that are words of 64 bits, on several GPUs.
#pragma once

#include "gpus_accounts.cuh"
#include "gpus_transfers.cuh"

#include <finesync/host/launch.cuh>
#include <workloads/atm/full_empty/transfer_words.cuh>
#include <workloads/common/grid.cuh>

#include <cstdint>
#include <tuple>
#include <vector>

namespace finesync::atm {

/// \tparam Way see transfer_words.cuh; its scope is system.
template <class Way>
class gpus_words_experiment final : public gpus_transfers {
 public:
  explicit gpus_words_experiment(const run_config& config)
      : gpus_transfers(config,
                       workload::resident_of_all({.threads_per_block = config.threads_per_block},
                                                 kernel<no_history>, kernel<history_recorder>)),
        accounts_(all(), config.problem.accounts, config.padded_accounts) {}

  bench::parameters effective_parameters() const override {
    return with_backoff_of<Way>(gpus_transfers::effective_parameters());
  }

 private:
  using word = std::uint64_t;
  template <class Recorder>
  static constexpr auto* kernel =
      transfer_words<Way, gpus_accounts_ref<word>, Recorder, no_reply_timer>;

  void open_accounts() override { accounts_.open(grids().shape(), opening_balance); }
  void start(const std::vector<bank>& shares) override {
    start_with(shares, [](unsigned) { return no_history{}; });
  }
  void start_recorded(const std::vector<bank>& shares, const recorded_turns& recorded) override {
    start_with(shares,
               [&](unsigned me) { return history_recorder{recorded[place_of(me)].device_data()}; });
  }
  recorded_order order() const override { return Way::order; }
  void collect(unsigned gpu, cell<std::uint32_t>* balances) override {
    accounts_.read(gpu, grids().shape(), balances);
  }

  template <class RecorderOf>
  void start_with(const std::vector<bank>& shares, const RecorderOf& recorder_of) {
    grids().start(kernel<decltype(recorder_of(0))>, [&](unsigned me) {
      return std::tuple(accounts_.ref(me), shares[place_of(me)].ref(), grids().timeout(me),
                        recorder_of(me), no_reply_timer{});
    });
  }

  gpus_accounts<word, counted_account<word>> accounts_;
};

}  // namespace finesync::atm
