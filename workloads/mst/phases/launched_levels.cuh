// A level of the light phase in separate launches, for versions with a launch between its steps.
#pragma once

#include <workloads/mst/minimum/minimum.cuh>
#include <workloads/mst/phases/forest_ref.cuh>
#include <workloads/mst/phases/settling_grid.cuh>

namespace finesync::mst {

/// Launches of start_level().
inline constexpr unsigned launches_of_level = 3;

/// Queues all steps of a level except the proposals. Components join by their records, chains are
/// shortened, and the remaining edges are listed for the next level. The next level's records are
/// clear. \param others further records to clear for the next level.
void start_level(const forest_ref& run, unsigned number, const key_records& records,
                 const key_records& others, const settling_grid& settling,
                 const watchdog_ref& watchdog);

}  // namespace finesync::mst
