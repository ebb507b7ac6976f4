// SPDX-License-Identifier: Apache-2.0
// Prefetches the queues of a block's pairs into shared memory, some rounds ahead of the current
// one. The queues of a round are contiguous in global memory, and stay so. If a round has more
// entries than fit, they are read from global memory.
#pragma once

#include "finesync/conflict_free/queues.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/ptx/bulk_copy.cuh"
#include "finesync/device/require.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Shared memory of the prefetch.
struct stage_size {
  unsigned entries;  ///< per round and block; about a round's average
  unsigned parts;    ///< rounds, current and ahead: a power of two, 2 or more
};

/// Entries of a queue per read, also past its end.
inline constexpr unsigned entries_per_read = 8;

/// All threads of the block call open(), and then for each round wait(r), a barrier of the block,
/// and copy(r). Between copy(r) and the next wait() the queues of round r are available.
/// \tparam Aligned see batch_queues.
template <class Entry, unsigned Aligned>
class round_prefetch {
  static_assert(Aligned % entries_per_read == 0);
  using queues_type = queues_ref<Entry, Aligned>;
  static constexpr unsigned per_quad = entries_per_quad<Entry>;

 public:
  __host__ __device__ static constexpr std::size_t bytes(unsigned pairs, const stage_size& size) {
    return sizeof(quad) * (quads_of_words(size.parts) + size.parts * quads_of(size.entries) +
                           2 * size.parts * quads_of_ends(pairs));
  }

  /// \param queues round after round, with `pairs_per_round` in each; their words packed.
  /// \param first_pair, pairs the block's pairs, multiples of 4 words.
  /// \param memory shared, bytes(pairs, size) long, aligned to 16 bytes.
  __device__ round_prefetch(const queues_type& queues, unsigned rounds, unsigned pairs_per_round,
                            unsigned first_pair, unsigned pairs, const stage_size& size,
                            unsigned char* memory)
      : queues_(queues),
        rounds_(rounds),
        pairs_per_round_(pairs_per_round),
        first_pair_(first_pair),
        pairs_(pairs),
        parts_(size.parts),
        staged_(quads_of(size.entries)),
        words_(reinterpret_cast<cell<std::uint64_t>*>(memory)),
        quads_(reinterpret_cast<cell<quad>*>(memory) + quads_of_words(size.parts)),
        ends_(quads_ + std::size_t{parts_} * staged_) {
    require(queues.stride == 1, "round_prefetch: words of queues next to each other");
    require(size.parts >= 2 && (size.parts & (size.parts - 1)) == 0, "round_prefetch: parts");
    require(pairs_per_round % ends_per_quad == 0 && first_pair % ends_per_quad == 0,
            "round_prefetch: tables by fours");
  }

  __device__ void open() {
    bulk_copy first(words_ + parts_);
    for (unsigned part = 0; part < parts_; ++part) bulk_copy(words_ + part).open();
    first.open();
    __syncthreads();
    for (unsigned round = 0; round < 2 * ahead(); ++round) copy_ends(first, round);
    first.end_batch();
    first.wait(0);
    __syncthreads();
    for (unsigned round = 0; round < ahead(); ++round) {
      copy_entries(copies_of(round), round);
      copies_of(round).end_batch();
    }
  }
  __device__ void wait(unsigned round) {
    copies_of(round).wait((round & parts_) == 0 ? 0 : 1);  // parity of the part's use
  }
  __device__ void copy(unsigned round) {
    bulk_copy copies = copies_of(round + ahead());
    copy_ends(copies, round + 2 * ahead());
    copy_entries(copies, round + ahead());
    copies.end_batch();
  }

  /// The queue of one pair.
  struct queue {
    const cell<quad>* quads;  ///< its first quad, in shared or global memory
    std::uint32_t begin;      ///< its places
    std::uint32_t end;
  };
  /// \param pair index within the block.
  __device__ queue queue_of(unsigned round, unsigned pair) const {
    const cell<std::uint32_t>* ends = ends_of(round);
    const std::uint32_t before_round = ends[0], before = ends[pair], end = ends[pair + 1];
    const std::uint32_t begin = queues_type::begin_behind(before);
    const unsigned offset = (begin - queues_type::begin_behind(before_round)) / per_quad;
    const unsigned behind = offset + detail::aligned_to(entries_per_read, end - begin) / per_quad;
    const cell<quad>* quads = behind <= staged_ ? quads_ + part_of(round) * staged_ + offset
                                                : all_quads() + begin / per_quad;
    return {quads, begin, end};
  }

 private:
  static constexpr unsigned ends_per_quad = 4;

  /// For the words of the copies: one per part, and one for the first ends.
  __host__ __device__ static constexpr unsigned quads_of_words(unsigned parts) {
    return (parts + 1 + 1) / 2;
  }
  __host__ __device__ static constexpr unsigned quads_of(unsigned entries) {
    return (entries + per_quad - 1) / per_quad;
  }
  __host__ __device__ static constexpr unsigned quads_of_ends(unsigned pairs) {
    return (pairs + 1 + ends_per_quad - 1) / ends_per_quad;
  }

  __device__ unsigned ahead() const { return parts_ - 1; }
  __device__ unsigned part_of(unsigned round) const { return round & (parts_ - 1); }
  __device__ unsigned part_of_ends(unsigned round) const { return round & (2 * parts_ - 1); }
  __device__ bulk_copy copies_of(unsigned round) const {
    return bulk_copy(words_ + part_of(round));
  }
  __device__ const cell<quad>* all_quads() const {
    return reinterpret_cast<const cell<quad>*>(queues_.entries);
  }

  __device__ void copy_ends(bulk_copy& copies, unsigned round) {
    if (round >= rounds_) return;
    const auto* all = reinterpret_cast<const cell<quad>*>(queues_.ends);
    const unsigned first = round * pairs_per_round_ + first_pair_;
    copies.begin(ends_ + part_of_ends(round) * quads_of_ends(pairs_), all + first / ends_per_quad,
                 quads_of_ends(pairs_));
  }
  __device__ void copy_entries(bulk_copy copies, unsigned round) {
    if (round >= rounds_) return;
    const cell<std::uint32_t>* ends = ends_of(round);
    const std::uint32_t before = ends[0], end = ends[pairs_];
    const std::uint32_t begin = queues_type::begin_behind(before);
    const unsigned filled = end > begin ? quads_of(end - begin) : 0;
    copies.begin(quads_ + part_of(round) * staged_, all_quads() + begin / per_quad,
                 filled < staged_ ? filled : staged_);
  }
  __device__ const cell<std::uint32_t>* ends_of(unsigned round) const {
    return reinterpret_cast<const cell<std::uint32_t>*>(ends_ + part_of_ends(round) *
                                                                    quads_of_ends(pairs_));
  }

  queues_type queues_;
  unsigned rounds_, pairs_per_round_, first_pair_, pairs_;
  unsigned parts_;              ///< of entries; twice as many of ends
  unsigned staged_;             ///< quads per part
  cell<std::uint64_t>* words_;  ///< of each part's copies, and of the first ends
  cell<quad>* quads_;
  cell<quad>* ends_;
};

}  // namespace finesync::inline FINESYNC_ABI
