// How fine the clock is that waits are measured with.
#pragma once

namespace finesync::workload {

/// Smallest step of the GPU's global timer, over a few steps, in nanoseconds.
double clock_tick_ns();

}  // namespace finesync::workload
