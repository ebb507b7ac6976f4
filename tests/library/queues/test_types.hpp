// Items of the queues that tests explore.
#pragma once

#include <cstdint>

namespace finesync::test {

/// Both halves hold the same number, so that an item of two accesses is noticed.
struct test_item {
  std::uint32_t number = 0;
  std::uint32_t again = 0;

  test_item() = default;
  test_item(std::uint32_t n) : number(n), again(n) {}
  operator std::uint32_t() const { return number == again ? number : ~0u; }
};

struct test_item_16 {
  std::uint32_t number = 0;
  std::uint32_t twice = 0;
  std::uint32_t thrice = 0;
  std::uint32_t again = 0;

  test_item_16() = default;
  test_item_16(std::uint32_t n) : number(n), twice(2 * n), thrice(3 * n), again(n) {}
  operator std::uint32_t() const {
    return twice == 2 * number && thrice == 3 * number && again == number ? number : ~0u;
  }
};

/// The smallest capacity of a Queue.
template <class Queue>
constexpr unsigned least_capacity = Queue::ref_type::ring_type::least_capacity;

}  // namespace finesync::test
