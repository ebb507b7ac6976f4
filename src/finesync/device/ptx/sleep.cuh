// SPDX-License-Identifier: Apache-2.0
// Sleeping and pausing, to relieve the memory system.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Suspends the thread for about `ns` nanoseconds (0 to 1,000,000; the hardware may sleep from 0 to
/// twice as long). On an H200 it costs at least about 84 cycles.
__device__ __forceinline__ void sleep_ns(unsigned ns) {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::perform({.kind = simt::op_kind::sleep, .operand = {ns, 0}});
#else
  __nanosleep(ns);
#endif
}

/// Keeps the thread out of the memory system for `cycles` of its SM's clock, for waits shorter than
/// the shortest sleep. No ordering. The host executor, which has no latency, skips it.
__device__ __forceinline__ void pause_cycles([[maybe_unused]] unsigned cycles) {
#ifndef FINESYNC_HOST_EXECUTOR
  const unsigned began = static_cast<unsigned>(clock());
  while (static_cast<unsigned>(clock()) - began < cycles) {
  }
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
