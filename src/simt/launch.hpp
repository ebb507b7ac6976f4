// Runs a kernel on the executor: every thread of every resident block is alive at once.
#pragma once

#include <simt/counters.hpp>
#include <simt/report.hpp>
#include <simt/settings.hpp>
#include <simt/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simt {

struct grid_shape {
  coordinates blocks{1, 1, 1};
  coordinates threads{1, 1, 1};  ///< per block
  std::size_t shared_bytes = 0;  ///< per block
  /// Neighbouring blocks (in x, which it divides) that start together and share their memory.
  std::uint32_t cluster_blocks = 1;
};

struct launch_result {
  counters counts;
  std::uint64_t nominal_ns =
      0;  ///< the executor's clock: 512 ns per operation of every live thread
};

/// Runs `entry(context)` once per thread of the grid, under the calling OS thread's settings.
/// Blocks that do not fit wait until one that runs has finished, as on a GPU. \throws
/// execution_error when the kernel cannot finish; whatever the kernel itself throws.
launch_result run(const grid_shape& grid, void (*entry)(void*), void* context);

/// Blocks of this shape that are resident at once on the current settings' GPU, in whole clusters;
/// 0 when it has no such clusters.
std::uint32_t max_resident_blocks(std::uint32_t threads_per_block, std::size_t shared_bytes,
                                  std::uint32_t cluster_blocks = 1);

/// Reports of races name the innermost line of source whose path has none of these parts in it:
/// what wraps the executor's calls for kernels is stepped over. Not for use while a kernel runs.
/// \returns true, so that it can initialize a variable.
bool step_over_sources(std::string_view part_of_path);

/// The last run of the calling OS thread.
const launch_result& last_launch();

}  // namespace simt
