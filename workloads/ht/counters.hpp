// A counter per entry, in device memory, and the check of all. On several GPUs each has a part of
// them, in arrays as long as the whole.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/stream.cuh>
#include <workloads/ht/run_config.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace finesync::ht {

/// Result of a check of the counters.
struct counters_check {
  std::uint64_t counted;   ///< their sum
  std::uint64_t wrong;     ///< entries that were not counted as often as they were drawn
  std::uint64_t repeated;  ///< entries that a second GPU counted as well

  bool passed(const problem& what) const {
    return counted == what.inserts && wrong == 0 && repeated == 0;
  }
  /// One line for a result row.
  std::string describe(const problem& what) const;
};

class counters {
 public:
  /// In the memory of the stream's device.
  explicit counters(const problem& what, const stream& on = {});
  /// In memory that is there, zeroed.
  counters(const problem& what, buffer<std::uint32_t> counts)
      : what_(what), counts_(std::move(counts)) {}

  /// All are zero again.
  void reset() { counts_.fill_bytes(0); }

  /// By entry.
  cell<std::uint32_t>* device_data() const { return counts_.device_data(); }

  /// Each must be the number of inserts of its entry.
  counters_check check() const {
    const std::vector<std::uint32_t> own = counted();
    return check(what_, {&own, 1}, counts_.own_stream());
  }
  /// The same for the counters of several GPUs, by entry; an entry's is on one of them.
  /// \param on where the inserts are drawn again.
  static counters_check check(const problem& what,
                              std::span<const std::vector<std::uint32_t>> of_gpus,
                              const stream& on);
  /// By entry.
  std::vector<std::uint32_t> counted() const { return counts_.to_host(); }

 private:
  problem what_;
  buffer<std::uint32_t> counts_;
};

}  // namespace finesync::ht
