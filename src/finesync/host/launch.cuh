// SPDX-License-Identifier: Apache-2.0
// Kernel launches, cooperative so that blocks may wait for each other, with at most as many blocks
// as can be co-resident; in clusters if the shape says so. Host side.
#pragma once

#include "finesync/host/gpu.cuh"
#include "finesync/host/launch_shape.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/host/stream.cuh"

#ifdef FINESYNC_HOST_EXECUTOR
#include "finesync/host/executor/launch.cuh"
#else
#include "finesync/host/cuda/launch.cuh"
#endif

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Number of blocks of this shape that the whole current GPU holds at once. With clusters, a
/// multiple of their size, and 0 if the machine has no such clusters.
template <class... Parameters>
unsigned max_resident_blocks(void (*kernel)(Parameters...), unsigned threads_per_block,
                             std::size_t shared_bytes = 0, unsigned cluster_blocks = 1) {
  return detail::max_resident_blocks(reinterpret_cast<const void*>(kernel),
                                     {.threads_per_block = threads_per_block,
                                      .shared_bytes = shared_bytes,
                                      .cluster_blocks = cluster_blocks});
}

namespace detail {

inline void check_fit(bool cooperative, const void* function, const launch_shape& shape) {
  check_clusters(shape, machine_has_clusters());
  const unsigned fitting = max_resident_blocks(function, shape);
  if (shape.blocks == 0 || fitting == 0 || (cooperative && shape.blocks > fitting)) {
    refuse_launch(shape, fitting);
  }
}

inline void enqueue(const stream& on, bool cooperative, const bound_kernel& kernel,
                    const launch_shape& shape) {
  const device_guard here(on.device());
  if (!start_refuses_what_does_not_fit || shape.cluster_blocks != 1) {
    check_fit(cooperative, kernel.function, shape);
  }
  if (!start(on, cooperative, kernel, shape)) {
    refuse_launch(shape, max_resident_blocks(kernel.function, shape));
  }
}

/// Checks that all grids of each device fit there together; it also loads the kernel, which takes
/// the device.
inline void check_together(std::span<const stream> on, const void* function, launch_shape shape) {
  const unsigned blocks = shape.blocks;
  for (const stream& each : on) {
    const auto grids_there = std::count_if(
        on.begin(), on.end(), [&](const stream& other) { return other.device() == each.device(); });
    shape.blocks = blocks * static_cast<unsigned>(grids_there);
    const device_guard here(each.device());
    check_fit(true, function, shape);
  }
}

/// Queues a kernel in a stream or a graph, with the arguments as its parameters. Arguments that do
/// not fit are one error of the compiler.
template <class Queue, class... Parameters, class... Arguments>
void launch(Queue& in, bool cooperative, void (*kernel)(Parameters...), const launch_shape& shape,
            const Arguments&... arguments) {
  constexpr bool as_many = sizeof...(Arguments) == sizeof...(Parameters);
  static_assert(as_many, "the launch passes more or fewer arguments than its kernel takes");
  if constexpr (as_many) {
    constexpr bool fit = (std::is_constructible_v<Parameters, const Arguments&> && ...);
    static_assert(fit, "an argument of the launch does not convert to its kernel's parameter");
    if constexpr (fit)
      enqueue_with(in, cooperative, kernel, shape, static_cast<Parameters>(arguments)...);
  }
}

}  // namespace detail

/// Queues a kernel whose blocks may wait for each other, in a stream or in the default stream.
/// \throws launch_error, with the number of blocks that fit, if the grid cannot be co-resident.
template <class... Parameters, class... Arguments>
void launch_cooperative(const stream& on, void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::launch(on, true, kernel, shape, arguments...);
}
template <class... Parameters, class... Arguments>
void launch_cooperative(void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  const stream standard;
  detail::launch(standard, true, kernel, shape, arguments...);
}

/// Later work of each stream waits for what any of them has queued.
inline void join_streams(std::span<const stream> all) {
  for (const stream& each : all) {
    const device_guard here(each.device());
    const event queued;
    queued.record(each);
    for (const stream& other : all)
      if (other != each) queued.hold(other);
  }
}

/// Queues a cooperative grid in each stream; blocks of all these grids may wait for each other. Two
/// streams of one device run two grids there, side by side. Each grid begins after all the work
/// queued in any of the streams so far. Between the starts, the call neither allocates nor waits
/// for a device. A wait of the kernel needs a watchdog: if a start fails, the grids before it wait
/// for one that never comes.
/// \param arguments_of called with 0, 1, ...: the kernel's arguments in that stream, as a tuple.
/// \throws launch_error if the grids of a device cannot be co-resident there.
template <class... Parameters, class ArgumentsOf>
void launch_together(std::span<const stream> on, void (*kernel)(Parameters...),
                     const launch_shape& shape, const ArgumentsOf& arguments_of) {
  detail::check_together(on, reinterpret_cast<const void*>(kernel), shape);
  std::vector<std::tuple<Parameters...>> parameters;
  parameters.reserve(on.size());
  for (unsigned i = 0; i < on.size(); ++i) {
    const device_guard here(on[i].device());
    parameters.push_back(arguments_of(i));
  }
  join_streams(on);
  detail::start_together(on, kernel, shape, parameters.data());
}

/// Queues a cooperative grid on each GPU, as the other launch_together().
/// \param arguments_of called with the number of each GPU of this process.
template <class... Parameters, class ArgumentsOf>
void launch_together(const peers& all, void (*kernel)(Parameters...), const launch_shape& shape,
                     const ArgumentsOf& arguments_of) {
  if (all.processes()) all.processes()->prepare(reinterpret_cast<const void*>(kernel));
  launch_together(all.streams(), kernel, shape,
                  [&](unsigned own) { return arguments_of(all.first() + own); });
}

/// Queues a kernel whose blocks wait only for blocks of their cluster: any number of blocks, in a
/// stream or in the default stream.
/// \throws launch_error if not even one block or cluster fits.
template <class... Parameters, class... Arguments>
void launch_independent(const stream& on, void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::launch(on, false, kernel, shape, arguments...);
}
template <class... Parameters, class... Arguments>
void launch_independent(void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  const stream standard;
  detail::launch(standard, false, kernel, shape, arguments...);
}

}  // namespace finesync::inline FINESYNC_ABI
