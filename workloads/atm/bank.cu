#include "bank.hpp"
#include "serializability.hpp"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/launch.cuh>
#include <inputs/zipf.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <functional>
#include <string>

namespace finesync::atm {

namespace {

constexpr unsigned threads_per_block = 256;

launch_shape shape_for(std::uint32_t elements) {
  const std::uint32_t blocks = (elements + threads_per_block - 1) / threads_per_block;
  return {.blocks = std::clamp(blocks, 1u, 4096u), .threads_per_block = threads_per_block};
}

/// Draws the orders `first` to `first + transfers - 1`.
__global__ void draw_orders(std::uint32_t first, std::uint32_t transfers, inputs::zipf_ref accounts,
                            cell<std::uint64_t>* orders) {
  assume_one_dimension();
  constexpr std::uint32_t seed = 2019;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t number = first + i;
    const std::uint32_t from = accounts(inputs::random32(seed, 0, number));
    std::uint32_t to = from;
    for (std::uint32_t stream = 2; to == from; ++stream)
      to = accounts(inputs::random32(seed, stream, number));
    const std::uint32_t amount = 1 + inputs::bounded(inputs::random32(seed, 1, number), max_moved);
    orders[i] = order_of({from, to, amount});
  }
}

/// Adds what the executed transfers add to each account, and the number of decided transfers.
__global__ void settle(orders_ref orders, cell<std::uint32_t>* moved,
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
    word(moved[t.from]).fetch_add(0 - t.amount, memory_order::relaxed);
    word(moved[t.to]).fetch_add(t.amount, memory_order::relaxed);
  }
  if (mine != 0)
    atomic_ref<std::uint32_t, scope::device>(*decided).fetch_add(mine, memory_order::relaxed);
}

/// The first order of a share.
std::uint32_t first_of(const problem& what, const share& own, std::uint32_t part) {
  return static_cast<std::uint32_t>(std::uint64_t{what.transfers} * part / own.parts);
}
std::uint32_t number_of(const problem& what, const share& own) {
  return first_of(what, own, own.part + 1) - first_of(what, own, own.part);
}

}  // namespace

bank::bank(const problem& what, const share& own, const stream& on)
    : what_(what), orders_(number_of(what, own), on), answers_(number_of(what, own), on) {
  const device_guard here(on.device());
  const inputs::zipf accounts(what.accounts, what.skew);
  launch_independent(on, draw_orders, shape_for(transfers()), first_of(what, own, own.part),
                     transfers(), accounts.ref(), orders_.device_data());
  on.synchronize();
  orders_.keep();
  reset();
}

settlement bank::settled() const {
  const stream& on = own_stream();
  const auto moved = buffer<std::uint32_t>::zeroed(what_.accounts, on);
  const auto number = buffer<std::uint32_t>::zeroed(1, on);
  launch_independent(on, settle, shape_for(transfers()), ref(), moved.device_data(),
                     number.device_data());
  return {number.to_host()[0], moved.to_host()};
}

bench::outcome bank::check(const problem& what, std::uint64_t decided,
                           std::span<const std::vector<std::uint32_t>> moved,
                           std::span<const std::uint32_t> balances) {
  std::vector<std::uint32_t> wanted(what.accounts, opening_balance);
  for (const std::vector<std::uint32_t>& of_share : moved)
    std::transform(wanted.begin(), wanted.end(), of_share.begin(), wanted.begin(), std::plus<>());
  std::uint32_t wrong = 0;
  std::uint32_t negative = 0;
  for (std::uint32_t a = 0; a < what.accounts; ++a) {
    wrong += balances[a] != wanted[a];
    negative += static_cast<std::int32_t>(balances[a]) < 0;
  }
  return workload::wrong_unless(
      wrong == 0 && negative == 0 && decided == what.transfers,
      std::to_string(decided) + " of " + std::to_string(what.transfers) +
          " transfers are decided, " + std::to_string(wrong) +
          " accounts hold another balance than the executed ones leave, " +
          std::to_string(negative) + " a negative one");
}

std::uint32_t bank::decided() const {
  const auto answers = answers_.to_host();
  return static_cast<std::uint32_t>(
      answers.size() - static_cast<std::size_t>(std::count(answers.begin(), answers.end(), 0)));
}

bench::outcome bank::check_order(const problem& what, const std::vector<std::uint64_t>& orders,
                                 const std::vector<std::uint8_t>& answers,
                                 std::span<const turns> recorded, recorded_order how) {
  const auto find = how == recorded_order::in_escrow ? find_serial_order_escrow : find_serial_order;
  const std::string problem = find(what.accounts, orders, answers, recorded);
  return workload::wrong_unless(problem.empty(), problem);
}

}  // namespace finesync::atm
