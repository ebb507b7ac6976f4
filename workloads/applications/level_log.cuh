// How many entries each level of a search has, and when it begins; for instrumented runs.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/common/outcomes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace finesync::applications {

/// Where a watched kernel notes its levels; nowhere without room.
struct level_log_ref {
  std::uint32_t room = 0;                  ///< levels
  cell<std::uint32_t>* entries = nullptr;  ///< of all blocks, by level; zero at the start
  cell<std::uint64_t>* begins = nullptr;   ///< when block 0 begins a level, in ns

  /// By all threads of a block, behind the barrier before a level. \param own_entries gives the
  /// block's entries.
  template <class Entries>
  __device__ void note(std::uint32_t level, Entries own_entries) const {
    if (level >= room || threadIdx.x != 0) return;
    if (const std::uint32_t own = own_entries(); own != 0)
      atomic_ref<std::uint32_t, scope::device>(entries[level])
          .fetch_add(own, memory_order::relaxed);
    if (blockIdx.x == 0) begins[level] = global_time_ns();
  }
};

/// The levels of one run. There may be many, so results have them by size.
class level_log {
 public:
  /// \param room levels; further ones are not noted.
  explicit level_log(std::uint32_t room)
      : entries_(buffer<std::uint32_t>::zeroed(room)),
        begins_(buffer<std::uint64_t>::zeroed(room)) {}

  level_log_ref ref() const {
    return {static_cast<std::uint32_t>(entries_.size()), entries_.device_data(),
            begins_.device_data()};
  }

  /// For each power of two N, `levels_from_N`, the number of levels of N to 2 N - 1 entries, and
  /// `level_ns_from_N`, their mean length (only with `timed`). The last of `levels` has no end, and
  /// those without entries are in no class.
  bench::counters by_size(std::uint32_t levels, bool timed) const {
    const std::vector<std::uint32_t> entries = entries_.to_host();
    const std::vector<std::uint64_t> begins = begins_.to_host();
    struct level_class {
      double levels = 0;
      double ns = 0;
    };
    std::map<std::uint32_t, level_class> classes;
    for (std::size_t level = 0; level + 1 < levels && level + 1 < entries.size(); ++level) {
      if (entries[level] == 0) continue;
      level_class& own = classes[std::bit_floor(entries[level])];
      own.levels += 1;
      workload::expect_plausible(
          !timed || (begins[level] != 0 && begins[level] <= begins[level + 1]),
          "level " + std::to_string(level) + " begins at " + std::to_string(begins[level]) +
              " ns, and the next at " + std::to_string(begins[level + 1]));
      own.ns += static_cast<double>(begins[level + 1] - begins[level]);
    }
    bench::counters found;
    for (const auto& [least, own] : classes) {
      found["levels_from_" + std::to_string(least)] = own.levels;
      if (timed) found["level_ns_from_" + std::to_string(least)] = own.ns / own.levels;
    }
    return found;
  }

 private:
  buffer<std::uint32_t> entries_;
  buffer<std::uint64_t> begins_;
};

}  // namespace finesync::applications
