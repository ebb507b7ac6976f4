// Common to all experiments of this program: orders, answers, balances, grid and watchdog.
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
#include <optional>
#include <string>

namespace finesync::atm {

/// Recorders of the change indices of each transfer; no_history records nothing.
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

/// A transfer without its section: only locks or messages, and arithmetic. Each thread has a copy,
/// which counts.
struct empty_sections {
  cell<std::uint64_t>* all;  ///< number of sections that ran, over all threads
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
  /// \param resident number of blocks of this shape that the whole GPU holds. \throws launch_error.
  transfer_experiment(const run_config& config, unsigned resident);

  void reset() final;
  void launch() final;
  bench::outcome verify() final;
  std::string unverified() const override;
  bench::parameters effective_parameters() const override {
    return workload::parameters_of(shape_);
  }
  double operations() const final { return bank_.what().transfers; }

 protected:
  /// Sets every account to its opening balance, and unlocks it.
  virtual void open_accounts() = 0;
  /// Queues the transfers.
  virtual void start(const orders_ref& orders) = 0;
  /// The same with empty sections; for primitives that have the axis.
  virtual void start_empty(const orders_ref& orders, const empty_sections& sections);
  /// The same, recorded. \returns false if no serial order is promised.
  virtual bool start_recorded(const orders_ref& orders, const history_recorder& record) = 0;
  /// The same, with a timer per client; for primitives that measure_replies().
  virtual void start_reply_timed(const orders_ref& orders, const reply_timer& watch);
  /// Measures reply latency. \param transfers_at_a_time number that each client sends per turn.
  bench::counters measure_replies(std::uint32_t clients, std::uint32_t transfers_at_a_time);
  /// Waits for the transfers, and examines the answers and balances that they leave.
  bench::outcome verify_transfers();
  /// Waits for the empty sections, and counts them.
  bench::outcome verify_empty();
  /// Largest recorded run, in transfers: the host repeats them one by one.
  virtual std::uint32_t max_recorded() const { return 1 << 16; }
  /// Checks that a recorded run is serializable.
  virtual bench::outcome check_recorded(const bank& customers, const buffer<turns>& recorded) const;
  /// Writes the balance of each account.
  virtual void collect(cell<std::uint32_t>* balances) = 0;

  const launch_shape& shape() const { return shape_; }
  std::uint32_t threads() const { return shape_.blocks * shape_.threads_per_block; }
  /// The same shape without the blocks of `sms` SMs, or of all SMs but one, which are left to other
  /// kernels.
  launch_shape shape_beside(unsigned sms) const;
  watchdog_ref timeout() const { return watchdog_.ref(); }
  const problem& what() const { return bank_.what(); }
  /// Arithmetic in each section, in units of about 1,000 cycles.
  std::uint32_t section_work() const { return section_work_; }
  bool sections_are_empty() const { return empty_; }
  orders_ref orders() const { return bank_.ref(); }

 private:
  bench::outcome verify(const bank& customers);
  bench::outcome verify_order();

  unsigned sms_;  // a query of the machine would take part of the measured time
  launch_shape shape_;
  bank bank_;
  buffer<std::uint32_t> balances_;
  watchdog watchdog_;
  std::uint32_t section_work_;
  bool empty_;
  buffer<std::uint64_t> empty_ran_;
  std::optional<bank> few_;  ///< of recorded runs
};

/// Calls make(i) for each transfer `i` of this thread, in grid strides. make(i) returns false when
/// the watchdog ended a wait.
template <class Make>
__device__ void each_transfer(std::uint32_t transfers, const watchdog_ref& watchdog, Make make) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers;
       i += gridDim.x * blockDim.x) {
    if (!make(i)) return;
  }
  watchdog.report_done();  // many threads have one transfer, and so begin no other wait
}

/// The same transfers, for a thread that tries each until it succeeds. The next order is
/// prefetched.
class transfer_stream {
 public:
  __device__ explicit transfer_stream(const orders_ref& orders)
      : orders_(orders), number_(blockIdx.x * blockDim.x + threadIdx.x - stride()) {
    const std::uint32_t first = number_ + stride();
    if (first < orders_.transfers) ahead_ = orders_.orders[first];
  }

  /// Advances to the next transfer. \returns false if there is none.
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
  std::uint64_t ahead_ = 0;  // not read, and so not waited for, before next()
};

}  // namespace finesync::atm
