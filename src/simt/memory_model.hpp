// The words of the memory model that every synchronizing access names: its order and its scope.
// This is the ground of the tree: kernels name them, nvcc lowers them to PTX (.acquire.gpu, ...),
// and the host executor obeys and counts them.
#pragma once

namespace simt {

/// As std::memory_order, without consume. The meaning on a GPU is the PTX memory model's (PTX ISA,
/// "Memory Consistency Model").
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };

/// The set of threads an access synchronizes with: those of the block (PTX .cta), of its cluster
/// (PTX .cluster; without clusters, a block is a cluster of its own), of the whole device
/// (PTX .gpu), or of all devices and the host (PTX .sys). Each contains the ones before it, and
/// they compare in this order. Kernels of two GPUs that share memory, or a kernel and the host, use
/// system scope on both sides, in global memory that both can reach.
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
