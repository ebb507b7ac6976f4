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
  bench::expect_ok(verify_transfers());
  return times.describe();
}

void transfer_experiment::start_empty(const orders_ref&, const empty_sections&) {
  throw bench::infeasible("this primitive has no empty sections");
}

bench::outcome transfer_experiment::verify() {
  bench::outcome found = empty_ ? verify_empty() : verify_transfers();
  if (!found.ok()) return found;
  if (empty_) {
    reset();
    start(bank_.ref());
    found = verify_transfers();
    if (!found.ok()) return found;
  }
  return verify_order();
}

std::string transfer_experiment::unverified() const {
  return empty_ ? "exclusion, by a run with sections and a recorded one after each with empty ones"
                : "the order of the transfers, by a recorded run after each";
}

bench::outcome transfer_experiment::verify_transfers() {
  return verify(bank_);
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
  if (!few_) few_.emplace(small);
  few_->reset();
  const buffer<turns> recorded(small.transfers);
  open_accounts();
  if (!start_recorded(few_->ref(), {recorded.device_data()})) return {};
  const bench::outcome found = verify(*few_);
  return found.ok() ? check_recorded(*few_, recorded) : found;
}

bench::outcome transfer_experiment::check_recorded(const bank& customers,
                                                   const buffer<turns>& recorded) const {
  return customers.check_order(recorded, recorded_order::by_turns);
}

}  // namespace finesync::atm
