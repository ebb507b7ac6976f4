// Resolution of the clock that measures waits.
#pragma once

namespace finesync::workload {

/// Smallest observed step of the GPU's global timer, in nanoseconds.
double clock_tick_ns();

}  // namespace finesync::workload
