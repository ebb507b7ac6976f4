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

  /// All are zero again.
  void reset() { counts_.fill_bytes(0); }

  /// By entry.
  cell<std::uint32_t>* device_data() const { return counts_.device_data(); }

  /// Each must be the number of inserts of its entry.
  counters_check check() const { return check({this, 1}); }
  /// The same for the parts on several GPUs; an entry's counter is on one of them.
  static counters_check check(std::span<const counters> parts);

 private:
  problem what_;
  buffer<std::uint32_t> counts_;
};

}  // namespace finesync::ht
