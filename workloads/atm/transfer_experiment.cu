#include "transfer_experiment.cuh"

#include <finesync/host/gpu.cuh>
#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace finesync::atm {

transfer_experiment::transfer_experiment(const run_config& config, unsigned resident)
    : sms_(static_cast<unsigned>(current_gpu().sms)),
      shape_(workload::grid_of(config, resident)),
      bank_(config.problem),
      balances_(config.problem.accounts),
      section_work_(config.section_work),
      empty_(config.empty_sections),
      empty_ran_(1) {
  empty_ran_.fill_bytes(0);
}

launch_shape transfer_experiment::shape_beside(unsigned sms) const {
  launch_shape shape = shape_;
  shape.blocks -= shape.blocks / sms_ * std::min(sms, sms_ - 1);
  return shape;
}

void transfer_experiment::reset() {
  bank_.reset();
  empty_ran_.fill_bytes(0);
  watchdog_.reset();
  open_accounts();
}

void transfer_experiment::launch() {
  if (empty_)
    start_empty(bank_.ref(), {empty_ran_.device_data(), section_work_});
  else
    start(bank_.ref());
}

void transfer_experiment::start_reply_timed(const orders_ref&, const reply_timer&) {
  throw std::logic_error("this primitive does not time its replies");
}

bench::counters transfer_experiment::measure_replies(std::uint32_t clients,
                                                     std::uint32_t transfers_at_a_time) {
  if (current_gpu().simulated) return {};  // no time on the host executor
  const std::uint32_t at_once = clients * transfers_at_a_time;
  const reply_latency times(clients, (what().transfers + at_once - 1) / at_once);
  reset();
  start_reply_timed(orders(), times.watch());
  return times.describe();
}

void transfer_experiment::start_empty(const orders_ref&, const empty_sections&) {
  throw bench::infeasible("this primitive has no empty sections");
}

bench::outcome transfer_experiment::verify() {
  if (empty_) return verify_empty();
  bench::outcome found = verify(bank_);
  if (!found.ok() || order_verified_) return found;
  order_verified_ = true;
  return verify_order();
}

bench::outcome transfer_experiment::verify(const bank& customers) {
  stream().synchronize();
  if (const auto given_up = watchdog_.report())
    return workload::timed_out(*given_up, customers.decided());
  collect(balances_.device_data());
  return customers.check(balances_);
}

bench::outcome transfer_experiment::verify_empty() {
  stream().synchronize();
  const std::uint64_t ran = empty_ran_.to_host()[0];
  if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up, ran);
  return workload::wrong_unless(
      ran == what().transfers,
      std::to_string(ran) + " of " + std::to_string(what().transfers) + " sections ran");
}

bench::outcome transfer_experiment::verify_order() {
  problem small = bank_.what();
  small.transfers = std::min(small.transfers, max_recorded());
  const bank few(small);
  const buffer<turns> recorded(small.transfers);
  open_accounts();
  if (!start_recorded(few.ref(), {recorded.device_data()})) return {};
  const bench::outcome found = verify(few);
  return found.ok() ? check_recorded(few, recorded) : found;
}

bench::outcome transfer_experiment::check_recorded(const bank& customers,
                                                   const buffer<turns>& recorded) const {
  return customers.check_order(recorded);
}

}  // namespace finesync::atm
