#include "carried_items.hpp"

#include <string>

namespace finesync::queue {

carried_items::carried_items(std::size_t threads, std::size_t traced)
    : of_threads_(threads), tickets_(traced) {
  reset();
}

void carried_items::reset() {
  of_threads_.fill_bytes(0);
  tickets_.fill_bytes(0);
}

std::uint64_t carried_items::popped() const {
  std::uint64_t all = 0;
  for (const items_of_thread& each : of_threads_.to_host()) all += each.popped;
  return all;
}

bench::outcome carried_items::verify(std::uint64_t items) const {
  std::uint64_t popped = 0;
  std::uint64_t sum = 0;
  std::uint64_t wrong = 0;
  for (const items_of_thread& each : of_threads_.to_host()) {
    popped += each.popped;
    sum += each.sum;
    wrong += each.wrong;
  }
  if (wrong != 0)
    return {bench::status::wrong,
            std::to_string(wrong) + " items were torn, unknown or popped twice"};
  if (popped != items)
    return {bench::status::wrong,
            std::to_string(popped) + " of " + std::to_string(items) + " items were popped"};
  if (sum != items * (items - 1) / 2)
    return {bench::status::wrong, "the numbers of the items that were popped have a wrong sum"};
  return {};
}

bench::outcome carried_items::verify_order(std::size_t in_a_row) const {
  const std::vector<std::uint32_t> tickets = tickets_.to_host();
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    if (tickets[i] == 0)
      return {bench::status::wrong, "item " + std::to_string(i) + " was not popped"};
    if (i % in_a_row != 0 && tickets[i - 1] >= tickets[i])
      return {bench::status::wrong, "item " + std::to_string(i) +
                                        " was not popped after the one that its thread pushed "
                                        "before it"};
  }
  return {};
}

}  // namespace finesync::queue
