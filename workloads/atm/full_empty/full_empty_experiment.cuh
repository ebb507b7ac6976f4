// Transfers between balances that are words of 64 bits, without separate locks.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/multi_object/retry_per_lane.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/common/grid.cuh>

#include <cstdint>

namespace finesync::atm {

/// A thread's transfers as tasks for retry_per_lane().
/// \tparam Way how a transfer is tried:
///|  using backoff    after a failure
///|  static bool try_task(accounts, orders, transfer, number, refused, record)
///|                   one try, after `refused` failures
template <class Way, class Recorder, class ReplyTimer>
struct word_tasks {
  const accounts_ref<std::uint64_t>& accounts;
  const orders_ref& orders;
  Recorder& record;
  ReplyTimer& watch;
  transfer_stream transfers;

  __device__ bool next_task() {
    watch.start();
    return transfers.next();
  }
  __device__ bool try_task(unsigned refused) {
    if (!Way::try_task(accounts, orders, transfers.now(), transfers.number(), refused, record))
      return false;
    watch.stop(this_client());
    return true;
  }
};

template <class Way, class Recorder, class ReplyTimer>
__global__ void transfer_words(accounts_ref<std::uint64_t> accounts, orders_ref orders,
                               watchdog_ref watchdog, Recorder record, ReplyTimer watch) {
  assume_one_dimension();
  word_tasks<Way, Recorder, ReplyTimer> tasks{accounts, orders, record, watch,
                                              transfer_stream(orders)};
  if (retry_per_lane<typename Way::backoff>(tasks, watchdog)) watchdog.report_done();
}

template <class Way>
class full_empty_experiment : public transfer_experiment {
  using backoff = typename Way::backoff;

 public:
  explicit full_empty_experiment(const run_config& config)
      // Other kernels use the grid of the timed one.
      : transfer_experiment(
            config, workload::resident_of_all({.threads_per_block = config.threads_per_block},
                                              transfer_words<Way, no_history, no_reply_timer>,
                                              transfer_words<Way, history_recorder, no_reply_timer>,
                                              transfer_words<Way, no_history, reply_timer>)),
        accounts_(config.problem.accounts, config.padded_accounts) {}

  bench::parameters effective_parameters() const override {
    bench::parameters effective = transfer_experiment::effective_parameters();
    workload::add_parameter(effective, "backoff_min_rounds", backoff::min_rounds);
    workload::add_parameter(effective, "backoff_max_rounds", backoff::max_rounds);
    return effective;
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
  void collect(cell<std::uint32_t>* balances) override {
    accounts_.read(shape(), what().accounts, balances);
  }

 private:
  template <class Recorder, class ReplyTimer>
  void start_with(const orders_ref& orders, const Recorder& record, const ReplyTimer& watch) {
    launch_cooperative(transfer_words<Way, Recorder, ReplyTimer>, shape(), accounts_.ref(), orders,
                       timeout(), record, watch);
  }

  accounts<std::uint64_t, counted_account<std::uint64_t>> accounts_;
};

}  // namespace finesync::atm
