// The queues of a round in shared memory, brought there two rounds ahead of the one that is played.
// They are one behind the other in global memory, and so they stay; what a round has beyond a
// number of entries is read where it is.
#pragma once

#include "finesync/device/bulk_copy.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/require.cuh"
#include "finesync/timetable/queues.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// For the rounds in turn; all threads of the block call open(), and then for each round wait(r), a
/// barrier of the block, and copy(r), which
///
///   begins to copy   the entries of round r + 2, and the ends of the queues of r + 4
///   there are        queue_of() and places_of() of rounds r - 1 to r + 2, and the entries of r
template <class Entry>
class round_stage {
 public:
  static constexpr unsigned per_quad = entries_per_quad<Entry>;
  /// Entries are read so many quads at a time.
  static constexpr unsigned quads_at_once = 16 / per_quad;
  struct alignas(quad) entry_quad {
    Entry of[per_quad];
  };
  static_assert(sizeof(entry_quad) == sizeof(quad));

  /// \param staged entries of a round.
  __host__ __device__ static constexpr std::size_t bytes(unsigned tables, unsigned staged) {
    return sizeof(quad) * (std::size_t{parts} * quads_of(staged, per_quad) +
                           std::size_t{ends_of_rounds} * quads_of_ends(tables)) +
           sizeof(quad);  // the words of the copies
  }

  /// \param queues round after round, with so many in each; their words packed.
  /// \param memory shared, of bytes(tables, staged), aligned to 16 bytes.
  __device__ round_stage(const queues_ref<Entry>& queues, unsigned rounds, unsigned tables,
                         unsigned staged, unsigned char* memory)
      : queues_(queues),
        rounds_(rounds),
        tables_(tables),
        staged_(quads_of(staged, per_quad)),
        quads_(reinterpret_cast<cell<quad>*>(memory + sizeof(quad))),
        ends_(quads_ + std::size_t{parts} * staged_),
        copies_{bulk_copy(reinterpret_cast<cell<std::uint64_t>*>(memory)),
                bulk_copy(reinterpret_cast<cell<std::uint64_t>*>(memory) + 1)} {
    require(queues.apart == 1, "round_stage: words of queues next to each other");
  }

  __device__ void open() {
    __syncthreads();
    for (unsigned round = 0; round < 4; ++round) copy_ends(copies_[0], round);
    copies_[0].end_batch();
    copies_[0].wait();
    __syncthreads();
    for (unsigned round = 0; round < 2; ++round) {
      copy_entries(copies_[round], round);
      copies_[round].end_batch();
    }
  }
  __device__ void wait(unsigned round) { round % 2 == 0 ? copies_[0].wait() : copies_[1].wait(); }
  __device__ void copy(unsigned round) {
    round % 2 == 0 ? copy_with(copies_[0], round) : copy_with(copies_[1], round);
  }

  /// A table's.
  struct queue {
    const cell<quad>* quads;  ///< its first one, in shared memory
    unsigned staged;          ///< how many there are from there on, of this queue and others
    std::uint32_t begin;      ///< its places
    std::uint32_t end;
  };
  __device__ queue queue_of(unsigned round, unsigned table) const {
    const cell<std::uint32_t>* ends = ends_of(round);
    const std::uint32_t before_round = ends[0], before = ends[table], end = ends[table + 1];
    const std::uint32_t begin = queues_ref<Entry>::begin_behind(before);
    const unsigned offset = (begin - queues_ref<Entry>::begin_behind(before_round)) / per_quad;
    return {quads_ + round % parts * staged_ + offset, offset < staged_ ? staged_ - offset : 0,
            begin, end};
  }
  /// Quads `first` to first + quads_at_once - 1 of it. Behind its end is something.
  __device__ __forceinline__ void read(const queue& of, unsigned first, quad* quads) const {
    if (first + quads_at_once <= of.staged) {
      for (unsigned i = 0; i < quads_at_once; ++i) quads[i] = of.quads[first + i];
    } else {
      const auto* all = reinterpret_cast<const cell<quad>*>(queues_.entries) + of.begin / per_quad;
      for (unsigned i = 0; i < quads_at_once; ++i) quads[i] = all[first + i];
    }
  }

  /// The places of all entries of a round.
  struct stretch {
    std::uint32_t begin;
    std::uint32_t end;
  };
  __device__ stretch places_of(unsigned round) const {
    const std::uint32_t before = ends_of(round)[0], end = ends_of(round)[tables_];
    return {queues_ref<Entry>::begin_behind(before), end};
  }

 private:
  static constexpr unsigned parts = 3, ends_of_rounds = 8, ends_per_quad = 4;

  __host__ __device__ static constexpr unsigned quads_of(unsigned entries, unsigned per_quad) {
    return (entries + per_quad - 1) / per_quad;
  }
  /// Those of a round do not begin with a quad.
  __host__ __device__ static constexpr unsigned quads_of_ends(unsigned tables) {
    return quads_of(tables + 1 + ends_per_quad - 1, ends_per_quad);
  }
  __device__ void copy_with(bulk_copy& copies, unsigned round) {
    copy_ends(copies, round + 4);
    copy_entries(copies, round + 2);
    copies.end_batch();
  }
  __device__ void copy_ends(bulk_copy& copies, unsigned round) {
    if (round >= rounds_) return;
    const auto* all = reinterpret_cast<const cell<quad>*>(queues_.ends);
    copies.begin(ends_ + round % ends_of_rounds * quads_of_ends(tables_),
                 all + round * tables_ / ends_per_quad, quads_of_ends(tables_));
  }
  __device__ void copy_entries(bulk_copy& copies, unsigned round) {
    if (round >= rounds_) return;
    const stretch places = places_of(round);
    const unsigned filled = quads_of(places.end - places.begin, per_quad);
    const auto* all = reinterpret_cast<const cell<quad>*>(queues_.entries);
    copies.begin(quads_ + round % parts * staged_, all + places.begin / per_quad,
                 filled < staged_ ? filled : staged_);
  }
  __device__ const cell<std::uint32_t>* ends_of(unsigned round) const {
    return reinterpret_cast<const cell<std::uint32_t>*>(ends_ + round % ends_of_rounds *
                                                                    quads_of_ends(tables_)) +
           round * tables_ % ends_per_quad;
  }

  queues_ref<Entry> queues_;
  unsigned rounds_, tables_;
  unsigned staged_;  ///< quads
  cell<quad>* quads_;
  cell<quad>* ends_;
  bulk_copy copies_[2];  ///< for even and odd rounds
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
