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
      : limit_(2 * scale * mean_weight), step_(scale * 5 / 8 * mean_weight) {}

  static constexpr bool holds_back = true;
  __device__ std::uint32_t limit() const {
    const std::int64_t whole = limit_ / scale;
    return static_cast<std::uint32_t>(whole < highest ? whole : highest);
  }

  /// To the next round.
  __device__ void advance() {
    if (moves_) limit_ += step_;
  }
  /// At a count of the entries of all blocks.
  __device__ void adapt(std::uint32_t entries, std::uint32_t held_back) {
    const std::int64_t share = entries == 0 ? 0 : all * held_back / entries;
    moves_ = share >= all / 8;
    if (share >= all)
      step_ *= 2;
    else
      step_ += step_ * (share - best_share) / (8 * all);
  }

  /// A threshold may be kept in memory from one kernel to the next.
  static constexpr unsigned kept_words = 3;
  /// The threshold of the next round, at a count. \param kept that of the round before; zeros if
  /// there was none.
  __device__ static moving_threshold after(const cell<std::uint64_t>* kept,
                                           std::uint32_t mean_weight, std::uint32_t entries,
                                           std::uint32_t held_back) {
    moving_threshold next(mean_weight);
    next.step_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(kept[0]));
    if (next.step_ == 0) return moving_threshold(mean_weight);
    next.limit_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(kept[1]));
    next.moves_ = kept[2] != 0;
    next.advance();
    next.adapt(entries, held_back);
    return next;
  }
  __device__ void keep(cell<std::uint64_t>* here) const {
    here[0] = static_cast<std::uint64_t>(step_);
    here[1] = static_cast<std::uint64_t>(limit_);
    here[2] = moves_ ? 1 : 0;
  }

 private:
  static constexpr std::int64_t scale = 256;  ///< the step is in fractions of a distance
  /// Shares of the entries that are held back. With more, most rounds have little work; with fewer,
  /// too many entries are followed too early. Simulated searches of grids with three ranges of
  /// weights take 7 to 12 % fewer rounds with a third than with a half, and follow a fifth more.
  static constexpr std::int64_t all = 256;
  static constexpr std::int64_t best_share = 88;
  static constexpr std::int64_t highest = 0xffffffff;

  std::int64_t limit_;
  std::int64_t step_;
  bool moves_ = true;
};

}  // namespace finesync::traversal
