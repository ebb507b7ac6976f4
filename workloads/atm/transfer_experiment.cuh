// What all experiments of this program share: orders, answers, balances, grid and watchdog.
#pragma once

#include "bank.hpp"
#include "reply_latency.cuh"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/arithmetic.cuh>
#include <workloads/common/effective_parameters.hpp>

#include <cstdint>

namespace finesync::atm {

/// Of each transfer, the turns that it had; where a run is not recorded, nothing.
struct no_history {
  __device__ void note(std::uint32_t /*transfer*/, std::uint32_t /*from*/, std::uint32_t /*to*/,
                       std::uint32_t /*freed*/ = 0) const {}
};
struct history_recorder {
  cell<turns>* of;

  __device__ void note(std::uint32_t transfer, std::uint32_t from, std::uint32_t to,
                       std::uint32_t freed = 0) const {
    of[transfer] = turns{from, to, freed};
  }
};

/// What remains of a transfer without its section: locks and messages, and arithmetic. A copy is
/// each thread's, and counts.
struct empty_sections {
  cell<std::uint64_t>* all;  ///< that ran, of all threads
  std::uint32_t section_work;
  std::uint32_t ran = 0;

  template <class Account, class What>
  __device__ void operator()(Account&, Account&, const What&) {
    ++ran;
    workload::spend_arithmetic(section_work);
  }
  __device__ void finish() const {
    if (ran > 0)
      atomic_ref<std::uint64_t, scope::device>(*all).fetch_add(ran, memory_order::relaxed);
  }
};

class transfer_experiment : public bench::experiment {
 public:
  /// \param resident blocks of this shape that the whole GPU holds. \throws launch_error.
  transfer_experiment(const run_config& config, unsigned resident);

  void reset() final;
  void launch() final;
  bench::outcome verify() final;
  bench::parameters effective_parameters() const override {
    return workload::parameters_of(shape_);
  }
  double operations() const final { return bank_.what().transfers; }

 protected:
  /// Every account at its opening balance, and free.
  virtual void open_accounts() = 0;
  /// Queues the transfers.
  virtual void start(const orders_ref& orders) = 0;
  /// The same with empty sections; for those that have the axis.
  virtual void start_empty(const orders_ref& orders, const empty_sections& sections);
  /// The same, recorded. \returns false where no serial order is promised.
  virtual bool start_recorded(const orders_ref& orders, const history_recorder& record) = 0;
  /// The same, each client under a timer; for those that measure_replies().
  virtual void start_reply_timed(const orders_ref& orders, const reply_timer& watch);
  /// How long answers take. \param clients take turns, each with so many transfers at a time.
  bench::counters measure_replies(std::uint32_t clients, std::uint32_t transfers_at_a_time);
  /// Of a recorded run: the host repeats them one by one.
  virtual std::uint32_t most_recorded() const { return 1 << 16; }
  /// Whether a recorded run is a serial one.
  virtual bench::outcome check_recorded(const bank& customers, const buffer<turns>& recorded) const;
  /// Writes what each account holds.
  virtual void collect(cell<std::uint32_t>* balances) = 0;

  const launch_shape& shape() const { return shape_; }
  std::uint32_t threads() const { return shape_.blocks * shape_.threads_per_block; }
  /// The same without the blocks of so many SMs, or of all but one, which are left to others.
  launch_shape shape_beside(unsigned sms) const;
  watchdog_ref timeout() const { return watchdog_.ref(); }
  const problem& what() const { return bank_.what(); }
  /// Arithmetic in each section.
  std::uint32_t section_work() const { return section_work_; }
  bool sections_are_empty() const { return empty_; }
  orders_ref orders() const { return bank_.ref(); }

 private:
  bench::outcome verify(const bank& customers);
  bench::outcome verify_order();
  bench::outcome verify_empty();

  unsigned sms_;  // to ask the machine would take a part of the time that is measured
  launch_shape shape_;
  bank bank_;
  buffer<std::uint32_t> balances_;
  watchdog watchdog_;
  std::uint32_t section_work_;
  bool empty_;
  buffer<std::uint64_t> empty_ran_;
  bool order_verified_ = false;
};

/// Transfers `i`, one by one in the stride of the grid. make(i) runs one of them; false: the
/// watchdog ended it.
template <class Make>
__device__ void each_transfer(std::uint32_t transfers, const watchdog_ref& watchdog, Make make) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers;
       i += gridDim.x * blockDim.x) {
    if (!make(i)) return;
  }
  watchdog.tell_done();  // many threads have one transfer, and so begin no other wait
}

/// The same transfers, for a thread that tries each until it is made; the next order is on its way
/// meanwhile.
class transfer_stream {
 public:
  __device__ explicit transfer_stream(const orders_ref& orders)
      : orders_(orders), number_(blockIdx.x * blockDim.x + threadIdx.x - stride()) {
    const std::uint32_t first = number_ + stride();
    if (first < orders_.transfers) ahead_ = orders_.orders[first];
  }

  /// Goes on to the next; false: there is none.
  __device__ bool next() {
    number_ += stride();
    if (number_ >= orders_.transfers) return false;
    now_ = transfer_of(ahead_);
    if (number_ + stride() < orders_.transfers) ahead_ = orders_.orders[number_ + stride()];
    return true;
  }
  __device__ const transfer& now() const { return now_; }
  __device__ std::uint32_t number() const { return number_; }

 private:
  __device__ static std::uint32_t stride() { return gridDim.x * blockDim.x; }

  const orders_ref& orders_;
  std::uint32_t number_;
  transfer now_ = {};
  std::uint64_t ahead_ = 0;  // not looked at, and so not waited for, before its turn
};

}  // namespace finesync::atm
