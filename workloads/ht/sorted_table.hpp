// A table by sorting: the inserts of a batch in the order of their entries.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch_shape.cuh>
#include <workloads/ht/table.hpp>

#include <cstdint>

namespace finesync::ht {

/// The kernel's handle. `entry[p]` and `node[p]` are the p-th insert in the order of entries;
/// `first[b]` is the place of entry b's first insert, no_node if it has none.
struct sorted_table_ref {
  problem what;
  cell<std::uint32_t>* entry;
  cell<std::uint32_t>* node;
  cell<std::uint32_t>* first;
};

/// Owns a batch of inserts, and the table that comes of it. Whoever uses it sorts: a stable sort of
/// the batch's pairs (entry, node) by entry gives the sorted pairs.
class sorted_table {
 public:
  /// Makes the batch. \throws std::bad_alloc if device memory is used up.
  explicit sorted_table(const problem& what);

  /// Empties the table; the batch remains.
  void reset();

  /// Queues the search for the first insert of each entry, once the pairs are sorted.
  void find_first();
  /// The grid of that kernel.
  launch_shape search_shape() const;

  /// Makes lists of the table, so that table::check() can check it.
  void link(const table_ref& lists) const;

  const buffer<std::uint32_t>& batch_entries() const { return batch_entries_; }
  const buffer<std::uint32_t>& batch_nodes() const { return batch_nodes_; }
  buffer<std::uint32_t>& entries() { return entries_; }
  buffer<std::uint32_t>& nodes() { return nodes_; }
  buffer<std::uint32_t>& first() { return first_; }

 private:
  sorted_table_ref ref() const;

  problem what_;
  buffer<std::uint32_t> batch_entries_;
  buffer<std::uint32_t> batch_nodes_;
  buffer<std::uint32_t> entries_;
  buffer<std::uint32_t> nodes_;
  buffer<std::uint32_t> first_;
};

}  // namespace finesync::ht
