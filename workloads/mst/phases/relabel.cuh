// The component of a vertex, or of an earlier component, at the end of a round.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <workloads/mst/graph_ref.cuh>

#include <cstdint>

namespace finesync::mst {

// A label without flags is the number of another component of the same round, which this one joins.
// A settled label is the number in the next round. A label that is also finished is a number among
// the finished components, which no edge leaves. A chain of labels ends at a settled one.
inline constexpr std::uint32_t settled = 0x80000000u;
inline constexpr std::uint32_t finished = 0x40000000u;
/// The number of a vertex without edges; never read.
inline constexpr std::uint32_t isolated = max_vertices;

__device__ __forceinline__ bool is_settled(std::uint32_t label) {
  return (label & settled) != 0;
}
__device__ __forceinline__ std::uint32_t number_of(std::uint32_t label) {
  return label & ~(settled | finished);
}

/// A label that other threads may read or write at the same time.
using shared_label = atomic_ref<std::uint32_t, scope::device>;

/// Follows several chains to their ends at the same time, and writes the ends to a separate array.
/// No thread writes the chains meanwhile, so they are read through the SM's L1 cache. \param which
/// index of the first chain. \param stride distance to the next. \param end number of labels.
template <unsigned Number>
__device__ __forceinline__ void settle(const cell<std::uint32_t>* chains,
                                       cell<std::uint32_t>* labels, std::uint32_t which,
                                       std::uint32_t stride, std::uint32_t end) {
  std::uint32_t found[Number];
  for (unsigned i = 0; i < Number; ++i)
    found[i] = which + i * stride < end ? std::uint32_t{chains[which + i * stride]} : settled;
  for (bool goes_on = true; goes_on;) {
    for (unsigned i = 0; i < Number; ++i)
      if (!is_settled(found[i])) found[i] = chains[found[i]];
    goes_on = false;
    for (unsigned i = 0; i < Number; ++i) goes_on = goes_on || !is_settled(found[i]);
  }
  for (unsigned i = 0; i < Number; ++i)
    if (which + i * stride < end) labels[which + i * stride] = found[i];
}

/// Follows a chain from a label to the settled label at its end. No thread changes the chain.
__device__ __forceinline__ std::uint32_t end_from(const cell<std::uint32_t>* labels,
                                                  std::uint32_t label) {
  while (!is_settled(label)) label = labels[label];
  return label;
}
__device__ __forceinline__ std::uint32_t end_of_chain(const cell<std::uint32_t>* labels,
                                                      std::uint32_t which) {
  return end_from(labels, labels[which]);
}

}  // namespace finesync::mst
