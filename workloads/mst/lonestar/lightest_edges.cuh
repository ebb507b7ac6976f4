// A record for each component: the lightest arc that leaves it, and the level that found it.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/platform.cuh>
#include <workloads/common/arithmetic.cuh>

#include <cstdint>

namespace finesync::mst {

/// An arc that a vertex proposes to its component.
struct proposed_arc {
  std::uint32_t weight;
  std::uint32_t arc;
};

/// The critical section of LonestarGPU 3.0. A record is used under its component's lock, or by the
/// component's server; without either once all proposals of a level have been made.
///
/// The published section also replaces a record of weight 0, its mark of no record. The level alone
/// tells that, as levels begin with 1 and records with 0: an edge of weight 0 stays.
struct lightest_edges_ref {
  cell<std::uint32_t>* weights;
  cell<std::uint32_t>* levels;
  cell<std::uint32_t>* arcs;
  std::uint32_t section_work;  ///< see spend_arithmetic()

  __device__ void keep_lighter(std::uint32_t component, std::uint32_t level,
                               const proposed_arc& proposed) const {
    if (levels[component] < level || weights[component] > proposed.weight) {
      weights[component] = proposed.weight;
      levels[component] = level;
      arcs[component] = proposed.arc;
    }
    workload::spend_arithmetic(section_work);
  }
};

}  // namespace finesync::mst
