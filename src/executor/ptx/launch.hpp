// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a PTX module on the host executor.
#pragma once

#include <ptx/module.hpp>
#include <simt/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace ptx {

/// What a volatile access is taken for. PTX says: a relaxed access of system scope. Old code means
/// data, and relies on fences and barriers.
enum class volatile_access : std::uint8_t { relaxed, plain };

struct launch_options {
  volatile_access volatiles = volatile_access::relaxed;
  /// %envreg1 and 2: the address of 8 bytes, {size, barrier}, zero before the launch, in global
  /// memory. 0: not a cooperative launch, so that grid.sync() traps as it does on a GPU.
  std::uint64_t grid_workspace = 0;
  /// What the kernel prints. Called on a fiber: it must not need much stack. Empty: dropped.
  std::function<void(std::string_view)> print{};
  /// Called at griddepcontrol.wait (true) and .launch_dependents. On a fiber, as `print`.
  std::function<void(bool waits)> at_dependency{};
  /// Device malloc: null if there is no memory left. Empty: there is none.
  std::function<void*(std::size_t)> allocate{};
  /// Device free, of an address that is not null. \returns false if it may not be freed.
  std::function<bool(void*)> release{};
};

/// Runs the kernel under the calling OS thread's settings, with stacks as large as it needs.
/// \param grid its shared_bytes is what the launch adds to the kernel's static shared memory.
/// \param parameters kernel::parameter_bytes of them, laid out as kernel::parameters says.
/// \throws simt::execution_error as simt::run(), and when a thread reaches an instruction that this
/// interpreter does not know, traps, fails an assertion, or leaves its local memory.
simt::launch_result run(const kernel& kernel, const simt::grid_shape& grid,
                        std::span<const std::byte> parameters, const launch_options& options = {});

}  // namespace ptx
