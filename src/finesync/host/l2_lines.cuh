// SPDX-License-Identifier: Apache-2.0
// Lines of device memory for hot words, chosen by their place in the L2.
//
// The L2 of a large GPU has two sides, and each line and each SM belongs to one of them. An
// undocumented hash of the address selects a line's side, so timing determines it when the lines
// are allocated: by fences or by loads, whichever shows the sides more clearly. A wrong guess costs
// time, never correctness. The same holds for a GPU that shows no sides, where they are arbitrary.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/l2_map.cuh"
#include "finesync/host/l2_timing.cuh"
#include "finesync/host/stream.cuh"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// `per_side` zeroed lines on each side.
class l2_lines {
 public:
  /// The lines of side 0, those of side 1, then the side of each SM.
  using selection = std::vector<std::uint32_t>;

  /// Ways to spread the lines, see spread().
  static constexpr unsigned choices_by_distance = 8;
  static constexpr unsigned choices = 2 * choices_by_distance;

  /// In memory of its own.
  /// \throws std::bad_alloc if device memory is used up.
  /// \param object what reports call what has a line on each side, and its value a "count".
  explicit l2_lines(unsigned per_side, const placement& on = {}, const char* object = nullptr);
  /// In memory of the caller, of words_for(per_side) words or more, all zero afterwards. Its owner
  /// resets it.
  l2_lines(unsigned per_side, buffer<std::uint32_t>& words);

  static std::size_t words_for(unsigned per_side) {
    return candidates(per_side) * line_bytes / sizeof(std::uint32_t);
  }

  /// Uses other lines. The best ones depend on their use, so try several, or search
  /// (line_search.cuh).
  void use(const selection& lines);

  /// The first two of a side are a pair of the fastest lines, for users that need only a few. The
  /// others are spread over all addresses: lines of one speed lie in few slices of the L2, and many
  /// hot lines should not. The sides that explain more of the measured distances suit most uses. If
  /// thousands of threads poll few lines, the others may suit better. \param which below choices,
  /// the sides that explain more first.
  selection spread(unsigned which) const;
  /// Any lines of each side.
  selection drawn(std::mt19937& random) const;
  /// The same lines but for `others`, in whose place are any, of whichever side.
  selection changed(selection lines, unsigned others, std::mt19937& random) const;

  /// Lines that are used.
  unsigned count() const { return 2 * per_side_; }

  /// The map of the sides that explain more.
  const l2_map& map() const { return better_; }

  /// Of memory of its own.
  void reset() { own_.fill_bytes(0); }

  /// Which line of the memory was chosen, for l2_lines_ref::line().
  std::uint32_t chosen(unsigned side, unsigned index) const {
    return (*table_in_host_)[side * per_side_ + index];
  }

  l2_lines_ref ref() const {
    return {words_, table_.device_data(), per_side_,
            static_cast<unsigned>(better_.side_of_sm.size())};
  }

 private:
  static std::size_t candidates(unsigned per_side) { return std::max(512u, 5 * per_side); }
  void measure(buffer<std::uint32_t>& words);

  unsigned per_side_;
  l2_map better_;
  l2_map other_;
  buffer<std::uint32_t> own_;
  cell<std::uint32_t>* words_;
  std::shared_ptr<std::vector<std::uint32_t>> table_in_host_ =
      std::make_shared<std::vector<std::uint32_t>>();
  buffer<std::uint32_t> table_;
};

inline l2_lines::l2_lines(unsigned per_side, const placement& on, const char* object)
    : per_side_(per_side) {
  const auto number = [per_side, table = table_in_host_](std::size_t line) {
    const auto place = std::find(table->begin(), table->end(), line) - table->begin();
    return static_cast<std::size_t>(place) % per_side;
  };
  own_ = buffer<std::uint32_t>(
      words_for(per_side), on,
      {.object = object, .object_bytes = line_bytes, .value = "count", .number = number});
  words_ = own_.device_data();
  measure(own_);
}

inline l2_lines::l2_lines(unsigned per_side, buffer<std::uint32_t>& words)
    : per_side_(per_side), words_(words.device_data()) {
  measure(words);
}

inline void l2_lines::measure(buffer<std::uint32_t>& words) {
  const stream& on = words.own_stream();
  const auto lines = static_cast<unsigned>(candidates(per_side_));
  words.fill_bytes(0);
  better_ = map_l2_lines(words_, lines, l2_distance::fence, on);
  words.fill_bytes(0);
  other_ = map_l2_lines(words_, lines, l2_distance::load, on);
  words.fill_bytes(0);
  if (explains_more(other_, better_)) std::swap(better_, other_);
  table_ = buffer<std::uint32_t>(2 * per_side_ + better_.side_of_sm.size(), "sides of the L2", on);
  use(spread(0));
}

inline void l2_lines::use(const selection& lines) {
  *table_in_host_ = lines;
  table_.keep_copy_of(lines);
}

inline l2_lines::selection l2_lines::spread(unsigned which) const {
  constexpr std::size_t quickest = 2;
  const l2_map& map = which < choices_by_distance ? better_ : other_;
  const std::size_t turn = which % choices_by_distance;
  selection table;
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
  return table;
}

inline l2_lines::selection l2_lines::drawn(std::mt19937& random) const {
  const l2_map& map = random() % 2 == 0 ? better_ : other_;
  selection table;
  for (const std::vector<std::uint32_t>& lines : map.lines_of)
    std::sample(lines.begin(), lines.end(), std::back_inserter(table), per_side_, random);
  table.insert(table.end(), map.side_of_sm.begin(), map.side_of_sm.end());
  return table;
}

inline l2_lines::selection l2_lines::changed(selection lines, unsigned others,
                                             std::mt19937& random) const {
  const auto used = lines.begin() + count();
  for (; others > 0; --others) {
    std::uint32_t line;
    do line = static_cast<std::uint32_t>(random() % candidates(per_side_));
    while (std::find(lines.begin(), used, line) != used);
    lines[random() % count()] = line;
  }
  return lines;
}

}  // namespace finesync::inline FINESYNC_ABI
