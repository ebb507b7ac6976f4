// SPDX-License-Identifier: Apache-2.0
// Memory order and scope, which every synchronizing access names. Kernels name them, the executor
// obeys and counts them; on a GPU the library lowers its own of the same names to PTX
// (.acquire.gpu, ...).
#pragma once

namespace simt {

/// As std::memory_order, without consume. Their meaning on a GPU is that of PTX (PTX ISA, "Memory
/// Consistency Model").
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };

/// The set of threads an access synchronizes with: those of the block (PTX .cta), of its cluster
/// (PTX .cluster; without clusters, a block is its own cluster), of the device (PTX .gpu), or of
/// all devices and the host (PTX .sys). Each contains the ones before it, and they compare in this
/// order. Kernels of two GPUs that share memory, or a kernel and the host, use system scope on both
/// sides, in global memory that both can access.
enum class scope { block, cluster, device, system };

constexpr bool acquires(memory_order order) {
  return order == memory_order::acquire || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}

constexpr bool releases(memory_order order) {
  return order == memory_order::release || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}

}  // namespace simt
