// Transfers between balances that are words of 64 bits, without separate locks.
#pragma once

#include "transfer_words.cuh"

#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/common/grid.cuh>

#include <cstdint>

namespace finesync::atm {

template <class Way>
class full_empty_experiment final : public transfer_experiment {
 public:
  explicit full_empty_experiment(const run_config& config)
      // Other kernels use the grid of the timed one.
      : transfer_experiment(
            config, workload::resident_of_all({.threads_per_block = config.threads_per_block},
                                              kernel<no_history, no_reply_timer>,
                                              kernel<history_recorder, no_reply_timer>,
                                              kernel<no_history, reply_timer>)),
        accounts_(config.problem.accounts, config.padded_accounts) {}

  bench::parameters effective_parameters() const override {
    return with_backoff_of<Way>(transfer_experiment::effective_parameters());
  }

  bench::counters measure() override { return measure_replies(threads(), 1); }

 protected:
  void open_accounts() override { accounts_.open(shape(), opening_balance); }
  void start(const orders_ref& orders) override {
    start_with(orders, no_history{}, no_reply_timer{});
  }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) override {
    start_with(orders, record, no_reply_timer{});
    return true;
  }
  void start_reply_timed(const orders_ref& orders, const reply_timer& watch) override {
    start_with(orders, no_history{}, watch);
  }
  bench::outcome check_recorded(const bank& customers,
                                const buffer<turns>& recorded) const override {
    return customers.check_order(recorded, Way::order);
  }
  void collect(cell<std::uint32_t>* balances) override {
    accounts_.read(shape(), what().accounts, balances);
  }

 private:
  template <class Recorder, class ReplyTimer>
  static constexpr auto* kernel =
      transfer_words<Way, accounts_ref<std::uint64_t>, Recorder, ReplyTimer>;

  template <class Recorder, class ReplyTimer>
  void start_with(const orders_ref& orders, const Recorder& record, const ReplyTimer& watch) {
    launch_cooperative(kernel<Recorder, ReplyTimer>, shape(), accounts_.ref(), orders, timeout(),
                       record, watch);
  }

  accounts<std::uint64_t, counted_account<std::uint64_t>> accounts_;
};

}  // namespace finesync::atm
