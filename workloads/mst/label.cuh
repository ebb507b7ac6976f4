// What has become of a vertex or a component when a round is over.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <workloads/mst/graph_ref.cuh>

#include <cstdint>

namespace finesync::mst {

// A label is the number of another one of the same round, in which this one is taken up; or, if it
// is settled, its number in the next round; or, if it is finished too, one among all that are: no
// edge leaves it. A chain of labels ends at a settled one.
inline constexpr std::uint32_t settled = 0x80000000u;
inline constexpr std::uint32_t finished = 0x40000000u;
/// The number of a vertex without edges, which nobody looks up.
inline constexpr std::uint32_t isolated = most_vertices;

__device__ __forceinline__ bool is_settled(std::uint32_t label) {
  return (label & settled) != 0;
}
__device__ __forceinline__ std::uint32_t number_of(std::uint32_t label) {
  return label & ~(settled | finished);
}

/// A label that others may read or settle meanwhile.
using shared_label = atomic_ref<std::uint32_t, scope::device>;

/// Follows a chain to its end, and remembers it. Whoever does the same meanwhile finds the chain as
/// it was, or a shortcut.
__device__ __forceinline__ void settle(cell<std::uint32_t>* labels, std::uint32_t which) {
  std::uint32_t label = shared_label(labels[which]).load(memory_order::relaxed);
  if (is_settled(label)) return;
  do {
    label = shared_label(labels[label]).load(memory_order::relaxed);
  } while (!is_settled(label));
  shared_label(labels[which]).store(label, memory_order::relaxed);
}

/// Follows a chain that nobody changes. \returns the settled label at its end.
__device__ __forceinline__ std::uint32_t end_of_chain(const cell<std::uint32_t>* labels,
                                                      std::uint32_t which) {
  std::uint32_t label = labels[which];
  while (!is_settled(label)) label = labels[label];
  return label;
}

}  // namespace finesync::mst
