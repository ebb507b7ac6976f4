// SPDX-License-Identifier: Apache-2.0
// Accesses of the program's host code to memory that it shares with the device. Pages that an
// operation has accessed are closed to the program until the host waits for that operation; a
// signal reports each access to a closed page.
#pragma once

#include <cstddef>

namespace cudart {

/// The host may access this allocation of global memory. On the device's OS thread.
void share_with_host(const void* memory, std::size_t bytes);

/// The allocation is about to be released. On the device's OS thread.
void unshare_with_host(const void* memory);

/// Closes the pages of what the host has not waited for, and opens all others. On the device's OS
/// thread, after each change of the order of operations.
void close_to_host();

/// While it lives, the calling OS thread performs an operation of the device: all pages are open,
/// and what this thread accesses is not the program's doing.
class device_operation {
 public:
  device_operation();
  ~device_operation();
  device_operation(const device_operation&) = delete;
  device_operation& operator=(const device_operation&) = delete;

 private:
  bool is_outermost_;  ///< a function of the host, as an operation, may ask for others
};

}  // namespace cudart
