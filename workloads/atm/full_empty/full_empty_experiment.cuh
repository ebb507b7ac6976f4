// Transfers between balances that are words of 64 bits, under no lock beside them.
#pragma once

#include <finesync/multi_object/retry_per_lane.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/common/grid.cuh>

#include <cstdint>

namespace finesync::atm {

/// A thread's transfers as tasks for try_each().
/// \tparam Way how a transfer is tried:
///|  using pauses                    what is done after a refusal
///   static bool attempt(accounts, orders, transfer, its number, how often it was refused, record)
template <class Way, class Recorder, class Stopwatch>
struct word_tasks {
  const accounts_ref<std::uint64_t>& accounts;
  const orders_ref& orders;
  Recorder& record;
  Stopwatch& watch;
  transfer_stream transfers;

  __device__ bool next() {
    watch.start();
    return transfers.next();
  }
  __device__ bool attempt(unsigned refused) {
    if (!Way::attempt(accounts, orders, transfers.now(), transfers.number(), refused, record))
      return false;
    watch.stop(this_client());
    return true;
  }
};

template <class Way, class Recorder, class Stopwatch>
__global__ void transfer_words(accounts_ref<std::uint64_t> accounts, orders_ref orders,
                               watchdog_ref watchdog, Recorder record, Stopwatch watch) {
  word_tasks<Way, Recorder, Stopwatch> tasks{accounts, orders, record, watch,
                                             transfer_stream(orders)};
  if (try_each<typename Way::pauses>(tasks, watchdog)) watchdog.tell_done();
}

template <class Way>
class words_experiment : public transfer_experiment {
  using pauses = typename Way::pauses;

 public:
  explicit words_experiment(const setup& how)
      // Other kernels run on the timed one's grid.
      : transfer_experiment(how,
                            workload::resident_of_all({.threads_per_block = how.threads_per_block},
                                                      transfer_words<Way, unrecorded, no_stopwatch>,
                                                      transfer_words<Way, recorder, no_stopwatch>,
                                                      transfer_words<Way, unrecorded, stopwatch>)),
        accounts_(how.what.accounts, how.padded_accounts) {}

  bench::facts ran() const override {
    bench::facts ran = transfer_experiment::ran();
    workload::add_fact(ran, "pause_min_rounds", pauses::min_rounds);
    workload::add_fact(ran, "pause_max_rounds", pauses::max_rounds);
    return ran;
  }

  bench::counters measure() override { return measure_answers(threads(), 1); }

 protected:
  void open_accounts() override { accounts_.open(shape(), opening_balance); }
  void start(const orders_ref& orders) override {
    start_with(orders, unrecorded{}, no_stopwatch{});
  }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(orders, record, no_stopwatch{});
    return true;
  }
  void start_watched(const orders_ref& orders, const stopwatch& watch) override {
    start_with(orders, unrecorded{}, watch);
  }
  void collect(cell<std::uint32_t>* balances) override {
    accounts_.read(shape(), what().accounts, balances);
  }

 private:
  template <class Recorder, class Stopwatch>
  void start_with(const orders_ref& orders, const Recorder& record, const Stopwatch& watch) {
    launch_cooperative(transfer_words<Way, Recorder, Stopwatch>, shape(), accounts_.ref(), orders,
                       timeout(), record, watch);
  }

  accounts<std::uint64_t> accounts_;
};

}  // namespace finesync::atm
