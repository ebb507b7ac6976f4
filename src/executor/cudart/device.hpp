// SPDX-License-Identifier: Apache-2.0
// The one device that programs see: a model of the executor, on an OS thread of its own.
#pragma once

#include <cudart/abi.hpp>
#include <cudart/settings.hpp>

#include <cstddef>
#include <functional>

namespace cudart {

/// The device's own memory, whatever model it is.
inline constexpr std::size_t device_memory_bytes = std::size_t{8} << 30;

/// What the environment says. Ends the program with a line if that is nonsense.
const run_settings& settings_of_run();

/// Runs this on the device's OS thread, and waits for its end: the executor's memory belongs to one
/// OS thread, and a program may have several.
void on_device(const std::function<void()>& what);

/// Notes the error for cudaGetLastError(), and returns it.
cudaError_t noted(cudaError_t error);

/// A launch failed: each later call that can report it does.
cudaError_t fail_from_now_on();

/// cudaSuccess, or the error of a failed launch.
cudaError_t state_of_device();

}  // namespace cudart
