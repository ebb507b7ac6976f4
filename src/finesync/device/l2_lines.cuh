// Lines of device memory for hot words, chosen by where they lie in the L2.
//
// The L2 of a large GPU has two sides, and each line and each SM belongs to one of them. Which line
// belongs where is a hash of the address that is documented nowhere, so it is found by timing when
// the lines are allocated. A wrong guess costs time, never correctness; so does a GPU whose L2 is
// one piece, where the sides mean nothing.
#pragma once

#include "finesync/device/buffer.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/stream.cuh"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace finesync {
inline namespace FINESYNC_ABI {

/// What tells how far an SM is from a line (docs/fences.md). On an H200 these are two splits into
/// halves that have nothing to do with each other: of an SM's near lines by the one, half are near
/// by the other.
enum class l2_distance {
  fence,  ///< a release fence after a load of the line: some 400 cycles where both are of one side,
          ///< else some 560; not one SM and line in between, so it seems to be the side where the
          ///< line is kept, and which the fence has to hear from
  load,   ///< a load of the line: 272 and 296 cycles, and much overlap
};

/// Where SMs and lines lie, as found.
struct l2_map {
  std::vector<std::uint32_t> side_of_sm;   ///< 0 or 1
  std::vector<std::uint32_t> lines_of[2];  ///< the quickest first; at least two of five on each
};

/// Times (or, on the host executor, makes up) the map of `lines` consecutive lines, at least eight,
/// that are all zero before and not after. Host side; takes some milliseconds, in the stream of the
/// lines.
l2_map map_l2_lines(cell<std::uint32_t>* first, unsigned lines, l2_distance by,
                    const stream& on = {});

/// The kernel's side; trivially copyable, passed by value.
class l2_lines_ref {
 public:
  l2_lines_ref(cell<std::uint32_t>* words, cell<std::uint32_t>* table, unsigned per_side,
               unsigned sms)
      : words_(words), table_(table), per_side_(per_side), sms_(sms) {}

  /// The side that the caller's SM is on.
  __device__ unsigned side() const { return side_of(sm_id()); }
  /// The side that an SM is on; some side for an SM that there is not.
  __device__ unsigned side_of(unsigned sm) const {
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
  static constexpr unsigned choices_by_distance = 8;
  static constexpr unsigned choices = 2 * choices_by_distance;

  /// \throws std::bad_alloc when device memory is used up.
  explicit l2_lines(unsigned per_side, const stream& home = {});

  /// Takes other lines. The first two of a side are a pair of the quickest ones, for who needs but
  /// few. The others are spread over all addresses: lines of one speed lie in few slices of the L2,
  /// and many hot lines should not. Which choice is best depends on who uses the lines for what:
  /// try. Sides by fences suit most; where thousands poll few lines, sides by loads, as their
  /// pollers come from both halves of the L2. \param which below choices, sides by fences first.
  void choose(unsigned which);

  /// Sets all words to zero.
  void reset() { words_.fill_bytes(0); }

  l2_lines_ref ref() const {
    return {words_.cells(), table_.cells(), per_side_,
            static_cast<unsigned>(by_fence_.side_of_sm.size())};
  }

 private:
  unsigned per_side_;
  l2_map by_fence_;
  l2_map by_load_;
  buffer<std::uint32_t> words_;
  buffer<std::uint32_t> table_;
};

inline l2_lines::l2_lines(unsigned per_side, const stream& home) : per_side_(per_side) {
  const unsigned candidates = std::max(512u, 5 * per_side);
  words_ = buffer<std::uint32_t>(candidates * line_bytes / sizeof(std::uint32_t), home);
  reset();
  by_fence_ = map_l2_lines(words_.cells(), candidates, l2_distance::fence, home);
  reset();
  by_load_ = map_l2_lines(words_.cells(), candidates, l2_distance::load, home);
  reset();
  table_ = buffer<std::uint32_t>(2 * per_side + by_fence_.side_of_sm.size(), home);
  choose(0);
}

inline void l2_lines::choose(unsigned which) {
  constexpr std::size_t quickest = 2;
  const l2_map& map = which < choices_by_distance ? by_fence_ : by_load_;
  const std::size_t turn = which % choices_by_distance;
  std::vector<std::uint32_t> table;
  for (std::vector<std::uint32_t> lines : map.lines_of) {
    std::rotate(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(turn * quickest),
                lines.begin() + choices_by_distance * quickest);
    std::sort(lines.begin() + quickest, lines.end());
    const std::size_t step = (lines.size() - quickest) / per_side_;  // at least one
    for (std::size_t i = 0; i < per_side_; ++i)
      table.push_back(
          lines[i < quickest ? i : quickest + i * step + turn * step / choices_by_distance]);
  }
  table.insert(table.end(), map.side_of_sm.begin(), map.side_of_sm.end());
  table_.copy_from(table);
}

}  // namespace FINESYNC_ABI
}  // namespace finesync

#ifndef FINESYNC_HOST_EXECUTOR
#include "finesync/device/cuda/l2_map.cuh"
#endif
