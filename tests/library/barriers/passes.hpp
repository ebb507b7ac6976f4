// A launch whose blocks pass a barrier some times and do nothing else, to count what it takes.
#pragma once

#include "exchange.hpp"

#include <finesync/host/watchdog.cuh>
#include <simt/launch.hpp>

#include <gtest/gtest.h>

namespace finesync::test {

template <class BarrierRef>
__global__ void pass(BarrierRef barrier, unsigned times, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  for (unsigned i = 0; i < times; ++i) {
    if (!participant.wait()) return;
  }
}

/// The operations of one launch, with those of joining.
template <class Barrier>
simt::counters counts_of_passes(const launch_shape& shape, unsigned times) {
  Barrier barrier(shape);
  const watchdog timeout;
  launch_cooperative(pass<ref_of<Barrier>>, shape, barrier.ref(), times, timeout.ref());
  stream().synchronize();
  EXPECT_FALSE(timeout.fired());
  return simt::last_launch().counts;
}

}  // namespace finesync::test
