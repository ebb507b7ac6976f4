// Pushes and counts as sections that merge.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <workloads/ht/table.cuh>

#include <cstdint>

namespace finesync::ht {

/// A branch over what does not remain in a register: without it each section takes three
/// instructions of the pipe that hashing needs most.
__device__ __forceinline__ void spend_added(std::uint32_t section_work) {
  if (section_work != 0) spend_arithmetic(section_work);
}

/// A copy of a list is its first node. The list ends at its last node, whose place is `last`.
struct merging_pushes {
  using argument = std::uint32_t;  // the node
  using word = std::uint32_t;

  table_ref table;
  cell<std::uint32_t>* last;  ///< by place
  std::uint32_t section_work;

  __device__ word identity() const { return no_node; }

  template <class Copy>
  __device__ std::uint32_t apply(const Copy& first, std::uint32_t node) const {
    return first.exchange(node, memory_order::relaxed);
  }
  __device__ void follow(std::uint32_t /*entry*/, std::uint32_t node, std::uint32_t before,
                         std::uint32_t place) const {
    if (before == no_node) last[place] = node;
    table.next[node] = before;
    spend_added(section_work);
  }
  __device__ void merge(std::uint32_t entry, std::uint32_t first, std::uint32_t place) const {
    table.next[last[place]] = pushed_onto(entry, first);
  }
  __device__ void run(std::uint32_t entry, std::uint32_t node) const {
    table.next[node] = pushed_onto(entry, node);
    spend_added(section_work);
  }

 private:
  /// Makes a node the first of an entry's list. Returns the one that was.
  __device__ std::uint32_t pushed_onto(std::uint32_t entry, std::uint32_t first) const {
    return atomic_ref<std::uint32_t, scope::device>(table.head[entry])
        .exchange(first, memory_order::relaxed);
  }
};

/// A copy of a counter is what is to be added to it.
struct merging_counts {
  using argument = std::uint32_t;  // the node, as for pushes
  using word = std::uint32_t;

  cell<std::uint32_t>* counters;
  std::uint32_t section_work;

  __device__ word identity() const { return 0; }

  template <class Copy>
  __device__ void apply(const Copy& counter, std::uint32_t /*node*/) const {
    counter.fetch_add(1, memory_order::relaxed);
    spend_added(section_work);
  }
  __device__ void merge(std::uint32_t entry, std::uint32_t counted, std::uint32_t /*place*/) const {
    atomic_ref<std::uint32_t, scope::device>(counters[entry])
        .fetch_add(counted, memory_order::relaxed);
  }
  __device__ void run(std::uint32_t entry, std::uint32_t /*node*/) const {
    merge(entry, 1, 0);
    spend_added(section_work);
  }
};

}  // namespace finesync::ht
