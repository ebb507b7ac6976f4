// Several GPUs on the command line. Their engine: engine/running_engine.hpp.
#pragma once

#include <bench/axis.hpp>
#include <finesync/host/peers.cuh>

namespace finesync::workload {

inline bench::axis gpus() {
  return {.name = "gpus",
          .help = "GPUs with a grid each; where there are fewer, grids share one, and its blocks",
          .values = {1},
          .min = 1,
          .max = peers::most};
}

}  // namespace finesync::workload
