#include "gpus_transfers.cuh"

#include <finesync/several_gpus/symmetric_view.cuh>
#include <workloads/common/engine/peers_of.hpp>
#include <workloads/common/of_all_gpus.cuh>

#include <algorithm>
#include <numeric>
#include <utility>

namespace finesync::atm {

namespace {

/// The host repeats recorded transfers one by one.
constexpr std::uint32_t max_recorded = 1 << 16;

const problem& what_of(const std::vector<bank>& shares) {
  return shares.front().what();
}

}  // namespace

gpus_transfers::gpus_transfers(const run_config& config, unsigned resident)
    : gpus_transfers(config, resident, workload::peers_of(config.engine, config.gpus)) {}
gpus_transfers::gpus_transfers(const run_config& config, unsigned resident, peers all)
    : gpus_transfers(config, workload::grid_of_each(config, all, resident), std::move(all)) {}
gpus_transfers::gpus_transfers(const run_config& config, const launch_shape& shape, peers&& all)
    : what_(config.problem),
      launch_(std::move(all), shape),
      customers_(shares_of(config.problem)) {}

std::vector<bank> gpus_transfers::shares_of(const problem& what) const {
  std::vector<bank> shares;
  for (const unsigned gpu : all().own())
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

bench::outcome gpus_transfers::verify(const std::vector<bank>& own_shares) {
  bench::outcome ended = launch_.ending();
  std::vector<std::uint32_t> decided;
  std::vector<std::vector<std::uint32_t>> moved;
  for (const bank& each : own_shares) {
    settlement own = each.settled();
    decided.push_back(own.decided);
    moved.push_back(std::move(own.moved));
  }
  const std::vector<std::uint32_t> of_all = all().gather(decided);
  const auto decided_by_all = std::accumulate(of_all.begin(), of_all.end(), std::uint64_t{0});
  if (ended.ok())
    return bank::check(what_of(own_shares), decided_by_all, all().gather_lists(std::move(moved)),
                       balances());
  ended.details["operations_done"] = static_cast<long long>(decided_by_all);
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
  if (!found.ok()) return found;
  std::vector<std::vector<std::uint64_t>> orders;
  std::vector<std::vector<std::uint8_t>> answers;
  for (const bank& each : few_) {
    orders.push_back(each.orders());
    answers.push_back(each.answers());
  }
  return bank::check_order(what_of(few_), workload::joined(all().gather_lists(std::move(orders))),
                           workload::joined(all().gather_lists(std::move(answers))),
                           workload::joined(workload::of_all_gpus(all(), recorded)), order());
}

std::vector<std::uint32_t> gpus_transfers::balances() {
  const unsigned gpus = all().size();
  std::vector<buffer<std::uint32_t>> own;
  for (const unsigned gpu : all().own()) {
    own.emplace_back(dealt_to(gpu, gpus, what_.accounts), all().stream_of(gpu));
    collect(gpu, own.back().device_data());
  }
  const auto of_gpus = workload::of_all_gpus(all(), own);
  std::vector<std::uint32_t> of_all(what_.accounts);
  for (std::size_t account = 0; account < of_all.size(); ++account)
    of_all[account] = of_gpus[account % gpus][account / gpus];
  return of_all;
}

}  // namespace finesync::atm
