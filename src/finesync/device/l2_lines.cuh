// Lines of device memory for hot words, chosen by where they lie in the L2.
//
// The L2 of a large GPU has two sides, and an SM reaches lines of its own side sooner (H200: 241
// cycles against 273 for a load). Which line lies where is a hash of the address that is documented
// nowhere, so it is found by timing when the lines are allocated. A wrong guess costs time, never
// correctness; so does a GPU whose L2 is one piece, where the sides mean nothing.
#pragma once

#include "finesync/device/buffer.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/memory_model.cuh"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace finesync {

/// Where SMs and lines lie, as found.
struct l2_map {
  std::vector<std::uint32_t> side_of_sm;   ///< 0 or 1
  std::vector<std::uint32_t> lines_of[2];  ///< the quickest first; at least two of five on each
};

/// Times (or, on the host executor, makes up) the map of `lines` consecutive lines, at least eight,
/// that are all zero before and not after. Host side; takes some milliseconds.
l2_map map_l2_lines(cell<std::uint32_t>* first, unsigned lines);

/// The kernel's side; trivially copyable, passed by value.
class l2_lines_ref {
 public:
  l2_lines_ref(cell<std::uint32_t>* words, cell<std::uint32_t>* table, unsigned per_side,
               unsigned sms)
      : words_(words), table_(table), per_side_(per_side), sms_(sms) {}

  /// The side that the caller's SM is on.
  __device__ unsigned side() const {
    const unsigned sm = sm_id();
    return sm < sms_ ? static_cast<unsigned>(table_[2 * per_side_ + sm]) : 0u;
  }

  /// Line `index` (0 .. per_side - 1) on `side` (0 or 1), as its first word. Costs a load of the
  /// table: look lines up once, and keep them.
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

/// Owns `per_side` zeroed lines on each side.
class l2_lines {
 public:
  /// Ways to choose the lines, see choose().
  static constexpr unsigned choices = 8;

  /// \throws std::bad_alloc when device memory is used up.
  explicit l2_lines(unsigned per_side);

  /// Takes other lines. The first two of a side are a pair of the quickest ones, for who needs but
  /// few. The others are spread over all addresses: lines of one speed lie in few slices of the L2,
  /// and many hot lines should not. Which choice is best depends on who uses the lines for what:
  /// try. \param which below choices.
  void choose(unsigned which);

  /// Sets all words to zero.
  void reset() { words_.fill_bytes(0); }

  l2_lines_ref ref() const {
    return {words_.as<cell<std::uint32_t>>(), table_.as<cell<std::uint32_t>>(), per_side_,
            static_cast<unsigned>(map_.side_of_sm.size())};
  }

 private:
  unsigned per_side_;
  l2_map map_;
  buffer<std::uint32_t> words_;
  buffer<std::uint32_t> table_;
};

inline l2_lines::l2_lines(unsigned per_side) : per_side_(per_side) {
  const unsigned candidates = std::max(512u, 5 * per_side);
  words_ = buffer<std::uint32_t>(candidates * line_bytes / sizeof(std::uint32_t));
  reset();
  map_ = map_l2_lines(words_.as<cell<std::uint32_t>>(), candidates);
  reset();
  table_ = buffer<std::uint32_t>(2 * per_side + map_.side_of_sm.size());
  choose(0);
}

inline void l2_lines::choose(unsigned which) {
  constexpr std::size_t quickest = 2;
  std::vector<std::uint32_t> table;
  for (std::vector<std::uint32_t> lines : map_.lines_of) {
    std::rotate(lines.begin(), lines.begin() + which * quickest,
                lines.begin() + choices * quickest);
    std::sort(lines.begin() + quickest, lines.end());
    const std::size_t step = (lines.size() - quickest) / per_side_;  // at least one
    for (std::size_t i = 0; i < per_side_; ++i)
      table.push_back(lines[i < quickest ? i : quickest + i * step + which * step / choices]);
  }
  table.insert(table.end(), map_.side_of_sm.begin(), map_.side_of_sm.end());
  table_.copy_from(table);
}

}  // namespace finesync
