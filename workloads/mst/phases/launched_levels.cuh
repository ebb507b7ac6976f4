// A level of the light phase in launches of its own, for those that need one between its steps.
#pragma once

#include <finesync/host/launch_shape.cuh>
#include <workloads/mst/minimum/minimum.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

namespace finesync::mst {

/// Launches of start_level().
inline constexpr unsigned launches_of_level = 3;

/// Queues all of a level but the offers: components join by their records, chains are shortened,
/// and the edges that are left are listed for the next one, whose records are clear.
/// \param others records of anything else, cleared for the next level, too.
void start_level(const forest_ref& run, unsigned number, const key_records& records,
                 const key_records& others, const watchdog_ref& watchdog);

}  // namespace finesync::mst
