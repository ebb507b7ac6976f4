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
  const cell<Entry>* shared;   ///< of place `begin`
  const cell<Entry>* entries;  ///< of place 0, in global memory
  std::uint32_t begin;
  std::uint32_t end;

  __device__ Entry operator[](std::uint32_t place) const {
    return place < end ? from_shared(place) : from_global(place);
  }
  __device__ Entry from_shared(std::uint32_t place) const { return shared[place - begin]; }
  __device__ Entry from_global(std::uint32_t place) const { return entries[place]; }
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

  /// \param memory shared, of bytes(entries).
  __device__ entry_stage(const queues_ref<Entry>& queues, unsigned char* memory, unsigned entries)
      : queues_(queues),
        halves_(reinterpret_cast<cell<quad>*>(memory)),
        quads_((entries + per_quad - 1) / per_quad),
        half_(quads_of_half(entries)) {}

  /// Begins to copy the entries of a round. wait_for_copies() and a barrier of the block stand
  /// between this and their use, and a barrier between their use and the next copies to that half.
  __device__ void copy(unsigned round, std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t first = from / per_quad;
    const std::uint32_t all = (to + per_quad - 1) / per_quad - first;
    const std::uint32_t quads = all < quads_ ? all : quads_;
    const auto* source = reinterpret_cast<const cell<quad>*>(queues_.entries) + first;
    for (std::uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      copy_async(half_of(round)[i], source[i]);
  }

  __device__ staged_entries<Entry> of(unsigned round, std::uint32_t from) const {
    const std::uint32_t begin = from / per_quad * per_quad;
    return {reinterpret_cast<const cell<Entry>*>(half_of(round)), queues_.entries, begin,
            begin + quads_ * per_quad};
  }

 private:
  __host__ __device__ static constexpr unsigned quads_of_half(unsigned entries) {
    return (entries + slack + per_quad - 1) / per_quad;
  }
  __device__ cell<quad>* half_of(unsigned round) const { return halves_ + round % 2 * half_; }

  queues_ref<Entry> queues_;
  cell<quad>* halves_;
  unsigned quads_;  ///< of a half that are filled
  unsigned half_;   ///< from one half to the other
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
