// SPDX-License-Identifier: Apache-2.0
// Who waits for what, where the host can read it while the kernel hangs: a late wait writes to its
// block's slot in device memory, and the host copies the slots in another stream.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// What a waiting thread sees of its object and what it wants to see: a counter and its target, a
/// ticket and its own. Both 0: unknown.
struct wait_evidence {
  std::uint64_t seen = 0;
  std::uint64_t wanted = 0;
  const void* where = nullptr;  ///< in the object's memory, by which its owner is named
};

/// For waits that report nothing.
struct no_evidence {
  __device__ wait_evidence operator()() const { return {}; }
};

namespace detail {

/// Blocks with a slot of their own. More than a GPU holds at once; of larger grids, blocks this far
/// apart share one.
#ifdef FINESYNC_HOST_EXECUTOR
inline constexpr unsigned wait_posts = 512;
#else
inline constexpr unsigned wait_posts = 8192;
#endif

/// A block's slot, initially zero. It holds a late wait of one of the block's threads, renewed
/// while it lasts. Relaxed stores: a host that reads meanwhile may find a new post half written.
template <template <class> class Word>
struct alignas(64) wait_post {
  Word<std::uint32_t> turn;   ///< when the post was made or renewed, in ticks; 0: never
  Word<std::uint32_t> ended;  ///< 1: the watchdog has ended the wait
  Word<std::uint32_t> began;
  Word<std::uint32_t> until;
  Word<std::uint32_t> block;
  Word<std::uint32_t> blocks;  ///< of the grid
  Word<std::uint32_t> thread;
  Word<std::uint32_t> what;
  Word<std::uint32_t> which;
  Word<std::uint32_t> holds;
  Word<std::uint64_t> seen;
  Word<std::uint64_t> wanted;
  Word<std::uint64_t> where;  ///< an address; 0: unknown
};

}  // namespace detail

}  // namespace finesync::inline FINESYNC_ABI
