// One run of a kernel by a grid on each of several GPUs.
#pragma once

#include "run.hpp"

#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>

#include <tuple>

namespace finesync::test {

/// What the kernel on a GPU gets for an argument: an owner's ref or view there, or the same as on
/// one GPU.
template <class Argument>
auto kernel_argument_on(unsigned gpu, const Argument& argument) {
  if constexpr (requires { argument.ref(gpu); })
    return argument.ref(gpu);
  else if constexpr (requires { argument.view(gpu); })
    return argument.view(gpu);
  else
    return kernel_argument(argument);
}

/// Launches a kernel on all GPUs, whose last parameter is a watchdog, and waits for its end.
/// \returns whether the watchdogs ended no wait.
template <class... Parameters, class... Arguments>
bool ends_on(const peers& all, const gpus_watchdog& timeout, void (*kernel)(Parameters...),
             const launch_shape& shape, const Arguments&... arguments) {
  launch_together(all.streams(), kernel, shape, [&](unsigned me) {
    return std::tuple(kernel_argument_on(me, arguments)..., timeout.ref(me));
  });
  return !timeout.fired();
}

/// The same with watchdogs of the machine's own limit.
template <class... Parameters, class... Arguments>
bool ends_on(const peers& all, void (*kernel)(Parameters...), const launch_shape& shape,
             const Arguments&... arguments) {
  return ends_on(all, gpus_watchdog(all), kernel, shape, arguments...);
}

}  // namespace finesync::test
