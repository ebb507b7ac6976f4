// The words of the memory model that every synchronizing access names: its order and its scope.
// Both machines share them: nvcc lowers them to PTX (.acquire.gpu, ...), the host executor obeys
// and counts them.
#pragma once

#include <cstddef>

namespace finesync {

/// As std::memory_order, without consume. The meaning on a GPU is the PTX memory model's (PTX ISA,
/// "Memory Consistency Model").
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };

/// The set of threads an access synchronizes with: those of the block (PTX .cta) or of the whole
/// device (PTX .gpu).
enum class scope { block, device };

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

}  // namespace finesync
