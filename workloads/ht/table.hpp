// The table: a list per entry, in device memory, and its check. On several GPUs each has a part of
// it, in arrays as long as the whole.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/stream.cuh>
#include <workloads/ht/run_config.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace finesync::ht {

inline constexpr std::uint32_t no_node = 0xffffffff;  ///< ends a list

/// The kernel's handle. `head[b]` is the first node of entry b, `next[i]` the node after node i.
struct table_ref {
  problem what;
  cell<std::uint32_t>* head;
  cell<std::uint32_t>* next;
};

/// Result of a check of the lists.
struct table_check {
  std::uint64_t found;      ///< nodes reached from the heads
  std::uint64_t misplaced;  ///< nodes in another entry's list, and lists on another GPU as well
  std::uint64_t repeated;   ///< nodes reached more than once, or invalid

  bool passed(const problem& what) const {
    return found == what.inserts && misplaced == 0 && repeated == 0;
  }
  /// One line for a result row.
  std::string describe(const problem& what) const;
};

/// Owns the lists.
class table {
 public:
  /// In the memory of the stream's device.
  /// \throws device_memory_error, before it allocates, if they do not fit.
  explicit table(const problem& what, const stream& on = {});

  /// Empties all lists and overwrites every `next` with garbage.
  void reset();

  /// Walks every list on the device: each node must be in its own entry's list exactly once.
  table_check check() { return check({this, 1}); }
  /// The same for the parts of one table on several GPUs; an entry's list is on one of them.
  static table_check check(std::span<table> parts);

  const problem& what() const { return what_; }
  table_ref ref() const;

 private:
  problem what_;
  buffer<std::uint32_t> head_;
  buffer<std::uint32_t> next_;
  buffer<std::uint32_t> visited_;
  buffer<std::uint64_t> sums_;
};

}  // namespace finesync::ht
