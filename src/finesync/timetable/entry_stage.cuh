// The entries of a queue on their way into shared memory, a round ahead of the one that is played.
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
  cell<Entry>* shared;         ///< of place `begin`; of this block alone
  const cell<Entry>* entries;  ///< of place 0, in global memory
  std::uint32_t begin;
  std::uint32_t end;

  __device__ Entry operator[](std::uint32_t place) const {
    return place < end ? shared[place - begin] : entries[place];
  }
};

/// Two parts of shared memory in turn: for the round that is played, and for the next one, whose
/// entries are on their way. All threads of the block call the members.
template <class Entry>
class entry_stage {
  static constexpr unsigned per_quad = entries_per_quad<Entry>;

 public:
  /// \param entries of a part; what a queue has beyond that is read where it is.
  __host__ __device__ static constexpr std::size_t bytes(unsigned entries) {
    return 2 * sizeof(quad) * quads_of(entries);
  }
  /// The inverse: how many entries of a part fit into so many bytes.
  __host__ __device__ static constexpr unsigned fitting(std::size_t bytes) {
    return static_cast<unsigned>(bytes / (2 * sizeof(quad)) * per_quad);
  }

  /// \param memory shared, of bytes(entries), aligned to 16 bytes.
  __device__ entry_stage(const queues_ref<Entry>& queues, unsigned char* memory, unsigned entries)
      : queues_(queues), parts_(reinterpret_cast<cell<quad>*>(memory)), quads_(quads_of(entries)) {}

  /// Begins to copy the queue of a round, places `begin` to `end`. wait_for_copies() and a barrier
  /// of the block stand between this and their use, and a barrier between the use of a part and
  /// the next copies to it.
  __device__ void copy(unsigned round, std::uint32_t begin, std::uint32_t end) const {
    const auto* source = reinterpret_cast<const cell<quad>*>(queues_.entries) + begin / per_quad;
    const unsigned all = (end - begin + per_quad - 1) / per_quad;
    const unsigned staged = all < quads_ ? all : quads_;
    for (unsigned i = threadIdx.x; i < staged; i += blockDim.x)
      copy_async(part_of(round)[i], source[i]);
  }

  /// Of a part.
  __device__ unsigned entries() const { return quads_ * per_quad; }

  /// \param begin as it was given to copy().
  __device__ staged_entries<Entry> of(unsigned round, std::uint32_t begin) const {
    return {reinterpret_cast<cell<Entry>*>(part_of(round)), queues_.entries, begin,
            begin + entries()};
  }

 private:
  __host__ __device__ static constexpr unsigned quads_of(unsigned entries) {
    return (entries + per_quad - 1) / per_quad;
  }
  __device__ cell<quad>* part_of(unsigned round) const { return parts_ + round % 2 * quads_; }

  queues_ref<Entry> queues_;
  cell<quad>* parts_;
  unsigned quads_;  ///< of a part
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
