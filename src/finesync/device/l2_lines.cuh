// SPDX-License-Identifier: Apache-2.0
// The device side of host/l2_lines.cuh: lines of device memory for hot words, on either side of the
// L2. The host header owns them and explains the sides.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/memory_model.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The device side; trivially copyable, passed by value.
class l2_lines_ref {
 public:
  l2_lines_ref(cell<std::uint32_t>* words, cell<std::uint32_t>* table, unsigned per_side,
               unsigned sms)
      : words_(words), table_(table), per_side_(per_side), sms_(sms) {}

  /// The side of the caller's SM.
  __device__ unsigned side() const { return side_of(sm_id()); }
  /// The side of an SM; any side for an index without an SM.
  __device__ unsigned side_of(unsigned sm) const {
    return sm < sms_ ? static_cast<unsigned>(table_[2 * per_side_ + sm]) : 0u;
  }

  /// The first word of line `index` (0 .. per_side - 1) on `side` (0 or 1). Costs a load of the
  /// table: look lines up once and keep them.
  __device__ cell<std::uint32_t>& line(unsigned side, unsigned index) const {
    constexpr unsigned words_per_line = line_bytes / sizeof(std::uint32_t);
    return words_[std::size_t{table_[side * per_side_ + index]} * words_per_line];
  }

 private:
  cell<std::uint32_t>* words_;
  cell<std::uint32_t>* table_;  ///< lines of side 0, lines of side 1, then the side of each SM
  unsigned per_side_;
  unsigned sms_;
};

}  // namespace finesync::inline FINESYNC_ABI
