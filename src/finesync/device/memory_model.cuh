// The words of the memory model that every synchronizing access names: its order and its scope.
// Both machines share them: nvcc lowers them to PTX (.acquire.gpu, ...), the host executor obeys
// and counts them.
#pragma once

#include "finesync/version.hpp"

#include <cstddef>

namespace finesync {
inline namespace FINESYNC_ABI {

/// As std::memory_order, without consume. The meaning on a GPU is the PTX memory model's (PTX ISA,
/// "Memory Consistency Model").
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };

/// The set of threads an access synchronizes with: those of the block (PTX .cta), of its cluster
/// (PTX .cluster; where there are no clusters, a block is a cluster of its own), of the whole
/// device (PTX .gpu), or of all devices and the host (PTX .sys). Each has the ones before in it,
/// and they compare in this order. What kernels of two GPUs, or a kernel and the host, share in
/// memory takes system scope on both sides, in global memory that both can reach.
enum class scope { block, cluster, device, system };

/// In whose shared memory a word lies that a cluster shares. Every block reaches it; its own block
/// reaches it sooner, if the code says so.
enum class home { any_block, own_block };

/// Distance at which two hot words stop disturbing each other: one L2 line.
inline constexpr std::size_t line_bytes = 128;

constexpr bool acquires(memory_order order) {
  return order == memory_order::acquire || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}

constexpr bool releases(memory_order order) {
  return order == memory_order::release || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
