// Transfers between balances that are words of 64 bits, without separate locks: the kernel.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/numbering.cuh>
#include <finesync/multi_object/retry_per_lane.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/common/effective_parameters.hpp>

#include <cstdint>

namespace finesync::atm {

/// A thread's transfers as tasks for retry_per_lane().
/// \tparam Way how a transfer is tried:
///|  using backoff    after a failure
///|  order            what a recorded run shows of the order of the transfers
///|  static bool try_task(accounts, orders, transfer, number, refused, record)
///|                   one try, after `refused` failures
/// \tparam Accounts accounts[a] is the word of account a.
template <class Way, class Accounts, class Recorder, class ReplyTimer>
struct word_tasks {
  const Accounts& accounts;
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

template <class Way, class Accounts, class Recorder, class ReplyTimer>
__global__ void transfer_words(Accounts accounts, orders_ref orders, watchdog_ref watchdog,
                               Recorder record, ReplyTimer watch) {
  assume_one_dimension();
  word_tasks<Way, Accounts, Recorder, ReplyTimer> tasks{accounts, orders, record, watch,
                                                        transfer_stream(orders)};
  if (retry_per_lane<typename Way::backoff>(tasks, watchdog)) watchdog.report_done();
}

/// With the back-off of a Way, if it has one.
template <class Way>
bench::parameters with_backoff_of(bench::parameters effective) {
  using backoff = typename Way::backoff;
  if constexpr (requires { backoff::min_rounds; }) {
    workload::add_parameter(effective, "backoff_min_rounds", backoff::min_rounds);
    workload::add_parameter(effective, "backoff_max_rounds", backoff::max_rounds);
  }
  return effective;
}

}  // namespace finesync::atm
