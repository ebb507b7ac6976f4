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

/// Two halves, for even and for odd rounds. All threads of the block call the members.
template <class Entry>
class entry_stage {
  static constexpr unsigned per_quad = sizeof(quad) / sizeof(Entry);

 public:
  /// So many entries behind the last one may be read, though not used.
  static constexpr unsigned slack = batch_queues<Entry>::slack;

  /// \param entries of a half; what a round has beyond that is read where it is.
  __host__ __device__ static constexpr std::size_t bytes(unsigned entries) {
    return 2 * sizeof(quad) * quads_of_half(entries);
  }

  /// The inverse: how many entries of a half fit into so many bytes.
  __host__ __device__ static constexpr unsigned fitting(std::size_t bytes) {
    const std::size_t quads = bytes / (2 * sizeof(quad));
    const std::size_t entries = quads * per_quad;
    return entries > slack ? static_cast<unsigned>(entries - slack) : 0;
  }

  /// \param memory shared, of bytes(entries).
  __device__ entry_stage(const queues_ref<Entry>& queues, unsigned char* memory, unsigned entries)
      : queues_(queues),
        halves_(reinterpret_cast<cell<quad>*>(memory)),
        quads_((entries + per_quad - 1) / per_quad),
        half_(quads_of_half(entries)) {}

  /// Begins to copy the entries of a round. wait_for_copies() and a barrier of the block stand
  /// between this and their use, and a barrier between their use and the next copies to that half.
  __device__ void copy(unsigned round, std::uint32_t from, std::uint32_t to) const {
    const cell<quad>* source = quads_of(from);
    for (std::uint32_t i = threadIdx.x; i < quads_between(from, to); i += blockDim.x) {
      if (i > 0 || from % per_quad == 0) {
        copy_async(half_of(round)[i], source[i]);
        continue;
      }
      // The first entries here are of the round before, whose sections may be changing them.
      const staged_entries<Entry> staged = of(round, from);
      for (std::uint32_t place = from; place < staged.begin + per_quad; ++place)
        copy_async(staged.in_shared(place), staged.in_global(place));
    }
  }

  /// Puts entries that sections have changed back to global memory: those of a round whose copies
  /// and use are behind a barrier of the block. The next copies to that half may follow at once, as
  /// each thread puts back what it will overwrite.
  __device__ void put_back(unsigned round, std::uint32_t from, std::uint32_t to) const {
    cell<quad>* source = half_of(round);
    cell<quad>* home = quads_of(from);
    const staged_entries<Entry> staged = of(round, from);
    for (std::uint32_t i = threadIdx.x; i < quads_between(from, to); i += blockDim.x) {
      const std::uint32_t begin = staged.begin + i * per_quad;
      if (begin >= from && begin + per_quad <= to) {
        const quad changed = source[i];
        home[i] = changed;
        continue;
      }
      for (std::uint32_t place = begin; place < begin + per_quad; ++place) {
        if (place < from || place >= to) continue;  // another round's
        const Entry changed = staged.in_shared(place);
        staged.in_global(place) = changed;
      }
    }
  }

  __device__ staged_entries<Entry> of(unsigned round, std::uint32_t from) const {
    const std::uint32_t begin = from / per_quad * per_quad;
    return {reinterpret_cast<cell<Entry>*>(half_of(round)), queues_.entries, begin,
            begin + quads_ * per_quad};
  }

 private:
  __host__ __device__ static constexpr unsigned quads_of_half(unsigned entries) {
    return (entries + slack + per_quad - 1) / per_quad;
  }
  __device__ cell<quad>* half_of(unsigned round) const { return halves_ + round % 2 * half_; }
  __device__ cell<quad>* quads_of(std::uint32_t from) const {
    return reinterpret_cast<cell<quad>*>(queues_.entries) + from / per_quad;
  }
  /// As far as they are staged.
  __device__ std::uint32_t quads_between(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t all = (to + per_quad - 1) / per_quad - from / per_quad;
    return all < quads_ ? all : quads_;
  }

  queues_ref<Entry> queues_;
  cell<quad>* halves_;
  unsigned quads_;  ///< of a half that are filled
  unsigned half_;   ///< from one half to the other
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
