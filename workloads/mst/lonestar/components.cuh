// The union-find of LonestarGPU 3.0. A component's number is that of its root, the smallest of its
// vertices.
//
// Participants: any threads of the device, each for itself. No thread is in find() while another is
//   in unite(): a grid barrier stands between them.
// Ordering: none; every access is relaxed. No parent is greater than its child, so walks end.
// Traffic: a compare-exchange for each vertex of a walk, although it changes nothing: as published.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>

#include <cstdint>

namespace finesync::mst {

struct components_ref {
  cell<std::uint32_t>* parents;  ///< of each vertex; a root's is itself

  /// The root of a vertex's component. Makes it the vertex's parent.
  __device__ std::uint32_t find(std::uint32_t vertex) const {
    std::uint32_t root = vertex;
    // The published load is plain: a line in the L1 would repeat the same old parent for ever.
    while (!is_root(root)) root = parent(root).load(memory_order::relaxed);
    parent(vertex).store(root, memory_order::relaxed);
    return root;
  }

  /// Joins two components, given by their roots. \returns false if they are the same, or if one of
  /// the two has meanwhile joined another component.
  __device__ bool unite(std::uint32_t one, std::uint32_t other) const {
    if (!is_root(one) || !is_root(other) || one == other) return false;
    const std::uint32_t root = one < other ? one : other;
    const std::uint32_t child = one < other ? other : one;
    std::uint32_t expected = child;
    return parent(child).compare_exchange(expected, root, memory_order::relaxed);
  }

 private:
  using word = atomic_ref<std::uint32_t, scope::device>;

  __device__ word parent(std::uint32_t vertex) const { return word(parents[vertex]); }
  __device__ bool is_root(std::uint32_t vertex) const {
    std::uint32_t expected = vertex;
    return parent(vertex).compare_exchange(expected, vertex, memory_order::relaxed);
  }
};

}  // namespace finesync::mst
