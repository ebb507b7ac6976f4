// SPDX-License-Identifier: Apache-2.0
// A double buffer that copies the entries of a queue into shared memory one round ahead.
#pragma once

#include "finesync/conflict_free/queues.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/copy_async.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Two alternating parts of shared memory: one for the current round, one for the next round, whose
/// entries are being copied. All threads of the block call the members.
/// \tparam Aligned see batch_queues.
template <class Entry, unsigned Aligned = entries_per_quad<Entry>>
class entry_double_buffer {
  static constexpr unsigned per_quad = entries_per_quad<Entry>;

 public:
  /// \param entries per part; the rest of a longer queue is read from global memory.
  __host__ __device__ static constexpr std::size_t bytes(unsigned entries) {
    return 2 * sizeof(quad) * quads_of(entries);
  }

  /// \param memory shared, bytes(entries) long, aligned to 16 bytes.
  __device__ entry_double_buffer(const queues_ref<Entry, Aligned>& queues, unsigned char* memory,
                                 unsigned entries)
      : queues_(queues), parts_(reinterpret_cast<cell<quad>*>(memory)), quads_(quads_of(entries)) {}

  /// Begins to copy the queue of a round, places `begin` to `end`. Call wait_for_copies() and a
  /// barrier of the block before using the part, and a barrier between its use and the next copies
  /// to it.
  __device__ void copy(unsigned round, std::uint32_t begin, std::uint32_t end) const {
    const auto* source = reinterpret_cast<const cell<quad>*>(queues_.entries) + begin / per_quad;
    const unsigned all = (end - begin + per_quad - 1) / per_quad;
    const unsigned staged = all < quads_ ? all : quads_;
    for (unsigned i = thread_rank(); i < staged; i += block_threads())
      copy_async(part_of(round)[i], source[i]);
  }

  /// The staged entries of a round; the block may change them.
  __device__ cell<Entry>* entries_of(unsigned round) const {
    return reinterpret_cast<cell<Entry>*>(part_of(round));
  }

 private:
  __host__ __device__ static constexpr unsigned quads_of(unsigned entries) {
    return (entries + per_quad - 1) / per_quad;
  }
  __device__ cell<quad>* part_of(unsigned round) const { return parts_ + round % 2 * quads_; }

  queues_ref<Entry, Aligned> queues_;
  cell<quad>* parts_;
  unsigned quads_;  ///< quads per part
};

}  // namespace finesync::inline FINESYNC_ABI
