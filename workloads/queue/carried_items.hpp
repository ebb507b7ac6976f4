// What the threads that popped have seen: the record of one run, and its verification.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::queue {

/// Of the items that a thread has popped.
struct items_of_thread {
  std::uint64_t sum;  ///< of their numbers
  std::uint32_t popped;
  std::uint32_t wrong;  ///< with a wrong checksum, unknown, or popped before
};

/// The device side; trivially copyable.
struct carried_items_ref {
  cell<items_of_thread>* of_threads;
  cell<std::uint32_t>* tickets;  ///< one more than the ticket of each item; null: not traced
  std::uint32_t traced;
};

class carried_items {
 public:
  /// \param traced items whose tickets are recorded.
  carried_items(std::size_t threads, std::size_t traced);

  void reset();

  carried_items_ref untraced() const { return {of_threads_.device_data(), nullptr, 0}; }
  carried_items_ref traced() const {
    return {of_threads_.device_data(), tickets_.device_data(),
            static_cast<std::uint32_t>(tickets_.size())};
  }

  std::uint64_t popped() const;
  /// Verifies that items 0 to `items` - 1 were popped, by number, sum and checksums.
  bench::outcome verify(std::uint64_t items) const;
  /// Verifies that all traced items have tickets, and those of a thread, `in_a_row` items,
  /// ascending ones.
  bench::outcome verify_order(std::size_t in_a_row) const;

 private:
  buffer<items_of_thread> of_threads_;
  buffer<std::uint32_t> tickets_;
};

}  // namespace finesync::queue
