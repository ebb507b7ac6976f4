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
#include <vector>

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

  /// Of a table in parts. \param parts what each was found to have. \param heads of each part, by
  /// entry; an entry's list is in one of them. Then a node of two parts is in a list of another
  /// entry in one of them.
  static table_check of_parts(std::span<const table_check> parts,
                              std::span<const std::vector<std::uint32_t>> heads);
};

/// \param parts on one device. \returns the problem.
/// \throws device_memory_error if their lists do not fit.
const problem& that_fits(const problem& what, const stream& on, unsigned parts = 1);

/// Owns the lists.
class table {
 public:
  /// In the memory of the stream's device.
  /// \throws device_memory_error, before it allocates, if they do not fit.
  explicit table(const problem& what, const stream& on = {});
  /// In memory that is there, uninitialized.
  table(const problem& what, buffer<std::uint32_t> heads, buffer<std::uint32_t> nexts);

  /// Empties all lists and overwrites every `next` with garbage.
  void reset();

  /// Walks every list on the device: each node must be in its own entry's list exactly once.
  /// Of a part of a table, each that is there: table_check::of_parts() joins them.
  table_check check();
  /// By entry.
  std::vector<std::uint32_t> heads() const { return head_.to_host(); }

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
