#include "bank.hpp"
#include "serializability.hpp"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/launch.cuh>
#include <inputs/zipf.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <string>

namespace finesync::atm {

namespace {

constexpr unsigned threads_per_block = 256;

launch_shape shape_for(std::uint32_t elements) {
  const std::uint32_t blocks = (elements + threads_per_block - 1) / threads_per_block;
  return {.blocks = std::clamp(blocks, 1u, 4096u), .threads_per_block = threads_per_block};
}

__global__ void draw_orders(std::uint32_t transfers, inputs::zipf_ref accounts,
                            cell<std::uint64_t>* orders) {
  assume_one_dimension();
  constexpr std::uint32_t seed = 2019;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t from = accounts(inputs::random32(seed, 0, i));
    std::uint32_t to = from;
    for (std::uint32_t stream = 2; to == from; ++stream)
      to = accounts(inputs::random32(seed, stream, i));
    const std::uint32_t amount = 1 + inputs::bounded(inputs::random32(seed, 1, i), max_moved);
    orders[i] = order_of({from, to, amount});
  }
}

/// Computes the balances after the executed transfers, and the number of decided transfers.
__global__ void settle(orders_ref orders, cell<std::uint32_t>* expected,
                       cell<std::uint32_t>* decided) {
  assume_one_dimension();
  std::uint32_t mine = 0;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < orders.transfers;
       i += gridDim.x * blockDim.x) {
    const auto result = static_cast<transfer_result>(static_cast<std::uint8_t>(orders.answers[i]));
    mine += result == transfer_result::executed || result == transfer_result::rejected;
    if (result != transfer_result::executed) continue;
    const transfer t = orders[i];
    using word = atomic_ref<std::uint32_t, scope::device>;
    word(expected[t.from]).fetch_add(0 - t.amount, memory_order::relaxed);
    word(expected[t.to]).fetch_add(t.amount, memory_order::relaxed);
  }
  if (mine != 0)
    atomic_ref<std::uint32_t, scope::device>(*decided).fetch_add(mine, memory_order::relaxed);
}

}  // namespace

bank::bank(const problem& what) : what_(what), orders_(what.transfers), answers_(what.transfers) {
  const inputs::zipf accounts(what.accounts, what.skew);
  launch_independent(draw_orders, shape_for(what.transfers), what.transfers, accounts.ref(),
                     orders_.device_data());
  stream().synchronize();
  reset();
}

bench::outcome bank::check(const buffer<std::uint32_t>& balances) const {
  buffer<std::uint32_t> expected(what_.accounts);
  expected.copy_from(std::vector<std::uint32_t>(what_.accounts, opening_balance));
  auto decided = buffer<std::uint32_t>::zeroed(1);
  launch_independent(settle, shape_for(what_.transfers), ref(), expected.device_data(),
                     decided.device_data());
  const auto wanted = expected.to_host();
  const auto found = balances.to_host();
  std::uint32_t wrong = 0;
  std::uint32_t negative = 0;
  for (std::uint32_t a = 0; a < what_.accounts; ++a) {
    wrong += found[a] != wanted[a];
    negative += static_cast<std::int32_t>(found[a]) < 0;
  }
  const std::uint32_t answered = decided.to_host()[0];
  return workload::wrong_unless(
      wrong == 0 && negative == 0 && answered == what_.transfers,
      std::to_string(answered) + " of " + std::to_string(what_.transfers) +
          " transfers are decided, " + std::to_string(wrong) +
          " accounts hold another balance than the executed ones leave, " +
          std::to_string(negative) + " a negative one");
}

std::uint32_t bank::decided() const {
  const auto answers = answers_.to_host();
  return static_cast<std::uint32_t>(
      answers.size() - static_cast<std::size_t>(std::count(answers.begin(), answers.end(), 0)));
}

bench::outcome bank::check_order(const buffer<turns>& recorded) const {
  const std::string problem =
      find_serial_order(what_.accounts, orders_.to_host(), answers_.to_host(), recorded.to_host());
  return workload::wrong_unless(problem.empty(), problem);
}

bench::outcome bank::check_order_in_escrow(const buffer<turns>& recorded) const {
  const std::string problem = find_serial_order_escrow(what_.accounts, orders_.to_host(),
                                                       answers_.to_host(), recorded.to_host());
  return workload::wrong_unless(problem.empty(), problem);
}

}  // namespace finesync::atm
