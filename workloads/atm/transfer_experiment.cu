#include "transfer_experiment.cuh"

#include <finesync/device/gpu.cuh>
#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>

namespace finesync::atm {

namespace {

launch_shape shape_of(const setup& how, unsigned resident) {
  const unsigned sms = static_cast<unsigned>(current_gpu().sms);
  const unsigned blocks_per_sm = how.blocks_per_sm == 0 ? resident / sms : how.blocks_per_sm;
  return workload::grid_of(blocks_per_sm, how.threads_per_block, resident);
}

}  // namespace

transfer_experiment::transfer_experiment(const setup& how, unsigned resident)
    : shape_(shape_of(how, resident)), bank_(how.what), balances_(how.what.accounts) {}

launch_shape transfer_experiment::shape_beside(unsigned sms) const {
  const auto all = static_cast<unsigned>(current_gpu().sms);
  launch_shape shape = shape_;
  shape.blocks -= shape.blocks / all * std::min(sms, all - 1);
  return shape;
}

void transfer_experiment::reset() {
  bank_.reset();
  watchdog_.reset();
  open_accounts();
}

bench::outcome transfer_experiment::verify() {
  bench::outcome found = verify(bank_);
  if (!found.ok() || order_verified_) return found;
  order_verified_ = true;
  return verify_order();
}

bench::outcome transfer_experiment::verify(const bank& customers) {
  stream().synchronize();
  if (const auto given_up = watchdog_.report())
    return workload::timed_out(*given_up, customers.decided());
  collect(balances_.cells());
  return customers.check(balances_);
}

bench::outcome transfer_experiment::verify_order() {
  problem small = bank_.what();
  small.transfers = std::min(small.transfers, most_recorded());
  const bank few(small);
  const buffer<turns> recorded(small.transfers);
  open_accounts();
  if (!start_recorded(few.ref(), {recorded.cells()})) return {};
  const bench::outcome found = verify(few);
  return found.ok() ? few.check_order(recorded) : found;
}

}  // namespace finesync::atm
