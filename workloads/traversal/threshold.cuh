// Which entries of a search by weights a round follows.
#pragma once

#include <finesync/device/cell.cuh>

#include <cstdint>

namespace finesync::traversal {

/// Distances in levels need no threshold: a round's entries are all at its distance, or nearly so.
class no_threshold {
 public:
  __device__ explicit no_threshold(std::uint32_t /*mean_weight*/) {}

  static constexpr bool holds_back = false;
  __device__ std::uint32_t limit() const { return ~std::uint32_t{0}; }
  __device__ void advance() {}
  __device__ void adapt(std::uint32_t /*entries*/, std::uint32_t /*held_back*/) {}

  static constexpr unsigned kept_words = 0;
  __device__ static no_threshold after(const cell<std::uint64_t>* /*kept*/,
                                       std::uint32_t mean_weight, std::uint32_t /*entries*/,
                                       std::uint32_t /*held_back*/) {
    return no_threshold(mean_weight);
  }
  __device__ void keep(cell<std::uint64_t>* /*here*/) const {}
};

/// A distance that moves on by a step in each round. Entries beyond it are held back: followed at
/// once, most of them would turn out not to be the shortest, and all that follows from them would
/// be done again. Entries far below it mean rounds with little work. The best step is a little less
/// than the speed at which the shortest paths grow, which no one knows before. So the step follows
/// from what is held back. Nothing held back means that the threshold is ahead of the paths, where
/// it orders nothing; it then stops until they have come. All blocks compute the same threshold.
class moving_threshold {
 public:
  __device__ explicit moving_threshold(std::uint32_t mean_weight)
      : limit_(std::uint64_t{2 * scale} * mean_weight), step_(scale * 5 / 8 * mean_weight + 1) {}

  static constexpr bool holds_back = true;
  __device__ std::uint32_t limit() const {
    const std::uint64_t whole = limit_ / scale;
    return whole < highest ? static_cast<std::uint32_t>(whole) : highest;
  }

  /// To the next round.
  __device__ void advance() {
    if (moves_) limit_ += step_;
  }
  /// At a count of the entries of all blocks.
  __device__ void adapt(std::uint32_t entries, std::uint32_t held_back) {
    const std::uint64_t sixteenths = entries == 0 ? 0 : std::uint64_t{16} * held_back / entries;
    moves_ = sixteenths >= 2;
    if (sixteenths < 4)
      step_ -= step_ / 16;
    else if (sixteenths == 16)
      step_ *= 2;
    else if (sixteenths > 9)
      step_ += step_ / 16 + 1;
  }

  /// A threshold may be kept in memory from one kernel to the next.
  static constexpr unsigned kept_words = 3;
  /// The threshold of the next round, at a count. \param kept that of the round before; zeros if
  /// there was none.
  __device__ static moving_threshold after(const cell<std::uint64_t>* kept,
                                           std::uint32_t mean_weight, std::uint32_t entries,
                                           std::uint32_t held_back) {
    moving_threshold next(mean_weight);
    const std::uint64_t step = kept[0];
    if (step == 0) return next;
    next.step_ = step;
    next.limit_ = kept[1];
    next.moves_ = kept[2] != 0;
    next.advance();
    next.adapt(entries, held_back);
    return next;
  }
  __device__ void keep(cell<std::uint64_t>* here) const {
    here[0] = step_;
    here[1] = limit_;
    here[2] = moves_ ? 1 : 0;
  }

 private:
  static constexpr std::uint32_t scale = 16;  ///< the step is in fractions of a distance
  static constexpr std::uint32_t highest = ~std::uint32_t{0};

  std::uint64_t limit_;
  std::uint64_t step_;
  bool moves_ = true;
};

}  // namespace finesync::traversal
