#include "gpus_transfers.cuh"

#include <finesync/several_gpus/symmetric_view.cuh>

#include <algorithm>
#include <utility>

namespace finesync::atm {

namespace {

/// The host repeats recorded transfers one by one.
constexpr std::uint32_t max_recorded = 1 << 16;

}  // namespace

gpus_transfers::gpus_transfers(const run_config& config, unsigned resident)
    : gpus_transfers(config, resident, peers::in_turns(config.gpus)) {}
gpus_transfers::gpus_transfers(const run_config& config, unsigned resident, peers all)
    : gpus_transfers(config, workload::grid_of_each(config, all, resident), std::move(all)) {}
gpus_transfers::gpus_transfers(const run_config& config, const launch_shape& shape, peers&& all)
    : what_(config.problem),
      launch_(std::move(all), shape),
      customers_(shares_of(config.problem)) {}

std::vector<bank> gpus_transfers::shares_of(const problem& what) const {
  std::vector<bank> shares;
  for (unsigned gpu = 0; gpu < all().size(); ++gpu)
    shares.emplace_back(what, share{gpu, all().size()}, all().stream_of(gpu));
  return shares;
}

void gpus_transfers::reset() {
  for (bank& each : customers_) each.reset();
  open_accounts();
  launch_.reset();
}

bench::outcome gpus_transfers::verify() {
  const bench::outcome found = verify(customers_);
  return found.ok() && order() != recorded_order::none ? verify_order() : found;
}

std::string gpus_transfers::unverified() const {
  return order() == recorded_order::none
             ? ""
             : "the order of the transfers, by a recorded run after each";
}

bench::outcome gpus_transfers::verify(const std::vector<bank>& all_shares) {
  bench::outcome ended = launch_.ending();
  if (ended.ok()) return bank::check(all_shares, balances());
  long long decided = 0;
  for (const bank& each : all_shares) decided += each.decided();
  ended.details["operations_done"] = decided;
  return ended;
}

bench::outcome gpus_transfers::verify_order() {
  if (few_.empty()) {
    problem small = what_;
    small.transfers = std::min(small.transfers, max_recorded);
    few_ = shares_of(small);
  }
  recorded_turns recorded;
  for (bank& each : few_) {
    each.reset();
    recorded.emplace_back(each.transfers(), each.own_stream());
  }
  open_accounts();
  all().synchronize();
  start_recorded(few_, recorded);
  const bench::outcome found = verify(few_);
  std::vector<turns> of_all;
  for (const buffer<turns>& each : recorded) {
    const std::vector<turns> own = each.to_host();
    of_all.insert(of_all.end(), own.begin(), own.end());
  }
  return found.ok() ? bank::check_order(few_, of_all, order()) : found;
}

std::vector<std::uint32_t> gpus_transfers::balances() {
  const unsigned gpus = all().size();
  std::vector<std::uint32_t> of_all(what_.accounts);
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    const buffer<std::uint32_t> found(dealt_to(gpu, gpus, what_.accounts), all().stream_of(gpu));
    collect(gpu, found.device_data());
    const std::vector<std::uint32_t> own = found.to_host();
    for (std::size_t i = 0; i < own.size(); ++i) of_all[i * gpus + gpu] = own[i];
  }
  return of_all;
}

}  // namespace finesync::atm
