// SPDX-License-Identifier: Apache-2.0
// Runs a kernel on the executor: every thread of every resident block is alive at once.
#pragma once

#include <simt/counters.hpp>
#include <simt/fault.hpp>
#include <simt/grid_layout.hpp>
#include <simt/settings.hpp>
#include <simt/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simt {

struct grid_shape {
  coordinates blocks{1, 1, 1};
  coordinates threads{1, 1, 1};  ///< per block
  std::size_t shared_bytes = 0;  ///< per block
  /// Boxes of the grid, which they divide: blocks that start together and share their memory.
  coordinates cluster{1, 1, 1};

  std::uint32_t cluster_blocks() const { return volume(cluster); }
};

struct launch_result {
  counters counts;
  std::uint64_t nominal_ns = 0;  ///< the clock: 512 ns per operation of every live thread
};

/// Runs `entry(context)` once per thread of the grid, under the calling OS thread's settings.
/// Blocks that do not fit wait until a running one has finished, as on a GPU. \throws
/// execution_error when the kernel cannot finish, and any exception of the kernel itself.
launch_result run(const grid_shape& grid, void (*entry)(void*), void* context);

/// Runs several grids of one shape at the same time, on one GPU or on several of the settings'
/// model: `entry(context)` once per thread of each grid, with the grid's context. Device scope then
/// includes the threads of one GPU, and system scope all. \throws as run(), and
/// std::invalid_argument unless all blocks are resident.
launch_result run_together(const grid_shape& each, std::span<const grid_on_gpu> grids,
                           void (*entry)(void*));

/// Number of resident blocks of this shape on the current settings' GPU, in whole clusters; 0 if it
/// has no such clusters.
std::uint32_t max_resident_blocks(std::uint32_t threads_per_block, std::size_t shared_bytes,
                                  std::uint32_t cluster_blocks = 1);

/// Race reports name the innermost source line whose path contains none of these parts: they skip
/// the wrappers between kernels and the executor. Not for use while a kernel runs. \returns true,
/// so that it can initialize a variable.
bool step_over_sources(std::string_view part_of_path);

/// Positions in such sources are those of a library: reports name the line that has called it
/// first. As step_over_sources().
bool library_sources(std::string_view part_of_path);

/// Reports ask this function first what is at the site of an operation; it returns nothing for
/// sites that it does not know (see perform_at). Not for use while a kernel runs. \returns true.
bool explain_sites_with(std::string (*explain)(const void* site));

/// The last run of the calling OS thread.
const launch_result& last_launch();

}  // namespace simt
