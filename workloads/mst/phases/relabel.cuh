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

/// A label that others may read or write meanwhile.
using shared_label = atomic_ref<std::uint32_t, scope::device>;

/// Follows some chains to their ends, all at a time, and writes these to where nobody follows any:
/// chains that nobody writes are read through the SM's own cache.
/// \param which the first of them, \param stride from each to the next, \param end of all labels.
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

/// From a label of a chain that nobody changes to the settled one at its end.
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
