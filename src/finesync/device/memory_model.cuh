// SPDX-License-Identifier: Apache-2.0
// The memory model's vocabulary for kernels: the order and the scope of an access.
#pragma once

#include "finesync/version.hpp"

#ifdef FINESYNC_HOST_EXECUTOR
#include <simt/memory_model.hpp>
#endif

#include <cstddef>

namespace finesync::inline FINESYNC_ABI {

#ifdef FINESYNC_HOST_EXECUTOR
using simt::acquires;
using simt::memory_order;
using simt::releases;
using simt::scope;
#else
// The same words as the executor's, which documents them: on a GPU the library needs nothing of it.
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
enum class scope { block, cluster, device, system };

constexpr bool acquires(memory_order order) {
  return order == memory_order::acquire || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}
constexpr bool releases(memory_order order) {
  return order == memory_order::release || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}
#endif

/// The owner of a word in a cluster's shared memory. Every block can access it; the owning block
/// accesses it faster, if the code says so.
enum class shared_owner { any_block, own_block };

/// Distance at which two hot words do not disturb each other: one L2 line.
inline constexpr std::size_t line_bytes = 128;

}  // namespace finesync::inline FINESYNC_ABI
