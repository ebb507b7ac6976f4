// The entries of a stretch of queues on their way into shared memory, a round ahead of the one that
// is played.
#pragma once

#include "finesync/device/copy_async.cuh"
#include "finesync/timetable/queues.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Entries by their places in the batch, from shared memory as far as they are there.
template <class Entry>
struct staged_entries {
  cell<Entry>* shared;   ///< of place `begin`
  cell<Entry>* entries;  ///< of place 0, in global memory
  std::uint32_t begin;
  std::uint32_t end;

  __device__ Entry operator[](std::uint32_t place) const {
    return place < end ? in_shared(place) : in_global(place);
  }
  __device__ cell<Entry>& in_shared(std::uint32_t place) const { return shared[place - begin]; }
  __device__ cell<Entry>& in_global(std::uint32_t place) const { return entries[place]; }
};

/// Parts of shared memory in turn: for the round that is played, for the next one, whose entries
/// are on their way, and a third where entries that sections have changed are put back from the
/// one before. All threads of the block call the members; those from `first_copier` on copy.
template <class Entry, unsigned Parts>
class entry_stage {
  static constexpr unsigned per_quad = sizeof(quad) / sizeof(Entry);

 public:
  /// So many entries behind the last one may be read, though not used.
  static constexpr unsigned slack = batch_queues<Entry>::slack;

  /// \param entries of a part; what a round has beyond that is read where it is.
  __host__ __device__ static constexpr std::size_t bytes(unsigned entries) {
    return Parts * sizeof(quad) * quads_of_part(entries);
  }
  /// The inverse: how many entries of a part fit into so many bytes.
  __host__ __device__ static constexpr unsigned fitting(std::size_t bytes) {
    const std::size_t entries = bytes / (Parts * sizeof(quad)) * per_quad;
    return entries > slack ? static_cast<unsigned>(entries - slack) : 0;
  }

  /// \param memory shared, of bytes(entries).
  __device__ entry_stage(const queues_ref<Entry>& queues, unsigned char* memory, unsigned entries,
                         unsigned first_copier = 0)
      : queues_(queues),
        parts_(reinterpret_cast<cell<quad>*>(memory)),
        quads_((entries + per_quad - 1) / per_quad),
        part_(quads_of_part(entries)),
        me_(threadIdx.x >= first_copier ? threadIdx.x - first_copier : nobody),
        copiers_(blockDim.x - first_copier) {}

  /// Begins to copy the entries of a round. wait_for_copies() and a barrier of the block stand
  /// between this and their use, and a barrier between the use of a part and the next copies to it.
  __device__ void copy(unsigned round, std::uint32_t from, std::uint32_t to) const {
    const places here = places_of(from, to);
    if (me_ < here.head) {  // in that quad are entries of the round before, which may be changing
      const std::uint32_t place = from + me_;
      const staged_entries<Entry> staged = of(round, from);
      if (quads_ > 0) copy_async(staged.in_shared(place), staged.in_global(place));
    }
    const cell<quad>* source = reinterpret_cast<const cell<quad>*>(queues_.entries);
    for (std::uint32_t i = here.first_whole + me_; i < here.end; i += copiers_)
      copy_async(part_of(round)[i - here.first], source[i]);
  }

  /// Puts entries that sections have changed back to global memory: those of a round whose use is
  /// behind a barrier of the block. With three parts, a barrier stands between this and the next
  /// copies to that part, too.
  __device__ void put_back(unsigned round, std::uint32_t from, std::uint32_t to) const {
    const staged_entries<Entry> staged = of(round, from);
    const std::uint32_t end = to < staged.end ? to : staged.end;
    if (from >= end) return;
    const places here = places_of(from, end);
    const std::uint32_t last_whole = end / per_quad;
    const auto put = [&](std::uint32_t place) {
      const Entry changed = staged.in_shared(place);
      staged.in_global(place) = changed;
    };
    if (me_ < here.head && from + me_ < end) put(from + me_);
    if (me_ < end % per_quad && last_whole >= here.first_whole) put(last_whole * per_quad + me_);
    cell<quad>* home = reinterpret_cast<cell<quad>*>(queues_.entries);
    for (std::uint32_t i = here.first_whole + me_; i < last_whole; i += copiers_) {
      const quad changed = part_of(round)[i - here.first];
      home[i] = changed;
    }
  }

  __device__ staged_entries<Entry> of(unsigned round, std::uint32_t from) const {
    const std::uint32_t begin = from / per_quad * per_quad;
    return {reinterpret_cast<cell<Entry>*>(part_of(round)), queues_.entries, begin,
            begin + quads_ * per_quad};
  }

 private:
  static constexpr unsigned nobody = 1u << 30;  // above all quads and all threads

  /// The quads of a round, as far as they are staged.
  struct places {
    std::uint32_t first;        ///< perhaps one that it shares with the round before
    std::uint32_t first_whole;  ///< its own from the first entry on
    std::uint32_t end;
    std::uint32_t head;  ///< entries before first_whole
  };
  __device__ places places_of(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t first = from / per_quad;
    const std::uint32_t first_whole = (from + per_quad - 1) / per_quad;
    const std::uint32_t end = (to + per_quad - 1) / per_quad;
    return {first, first_whole, end < first + quads_ ? end : first + quads_,
            first_whole * per_quad - from};
  }

  __host__ __device__ static constexpr unsigned quads_of_part(unsigned entries) {
    return (entries + slack + per_quad - 1) / per_quad;
  }
  __device__ cell<quad>* part_of(unsigned round) const { return parts_ + round % Parts * part_; }

  queues_ref<Entry> queues_;
  cell<quad>* parts_;
  unsigned quads_;  ///< of a part that are filled
  unsigned part_;   ///< from one to the next
  unsigned me_;     ///< among those that copy
  unsigned copiers_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
