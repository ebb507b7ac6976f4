// SPDX-License-Identifier: Apache-2.0
// The execution of a launch: its threads and memory, and the objects that its threads meet at.
#pragma once

#include <simt/memory/memory_accesses.hpp>
#include <simt/memory/running_launch.hpp>
#include <simt/objects/async_threads.hpp>
#include <simt/objects/block_barriers.hpp>
#include <simt/objects/cluster_barriers.hpp>
#include <simt/objects/collectives.hpp>

#include <exception>
#include <span>
#include <string>

namespace simt {

class execution {
 public:
  /// \param grids of this shape, at least one.
  execution(const settings& how, const grid_shape& grid, std::span<const grid_on_gpu> grids,
            stack_pool& stacks);
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  launch_result run(void (*entry)(void*));

  // The kernel's side works on these, on fibers: see device_api.cpp.
  running_launch launch;
  memory_accesses accesses;
  simt::block_barriers block_barriers;
  simt::cluster_barriers cluster_barriers;
  simt::collectives collectives;
  simt::async_threads async_threads;

 private:
  void start_cluster(cluster_state& slot);
  [[noreturn]] static void fiber_main(fiber_transfer arrival);
  void finish_current();
  fault diagnosed();
  std::string thread_summary() const;

  void (*entry_)(void*) = nullptr;
  cluster_state* retired_ = nullptr;
  thread* racing_ = nullptr;  ///< has found a race, and goes on once it is shown
  std::exception_ptr escaped_;
};

/// Has wild accesses of kernels end their launch: see wild_access.cpp.
void watch_wild_accesses();

/// The execution on this OS thread; null outside a launch.
inline thread_local execution* active_execution = nullptr;

}  // namespace simt
