// A strip: the rows of the matrix that one warp of a block computes in lockstep. Its division into
// steps and stages, and the shared memory of its warps.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/ptx/copy_async.cuh>
#include <workloads/nw/matrix/task.cuh>
#include <workloads/nw/strips/stage_pipeline.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::nw {

// Values. Kernels of strips compute S(i, j) + gap * (i + j) instead of S(i, j). Borders are then 0,
// a gap costs nothing, and no value is less than its north and west neighbours. No value is
// negative, so the sign bit marks an empty word.

/// A word that has no score yet.
inline constexpr std::uint32_t empty_word = 0xffffffffu;

// Sizes of a block's rings: for one block per SM, for two, and for GPUs with 48 KB of shared memory
// per block. They also define the mark of an empty word. Tests have broken variants of these.
struct whole_sm {
  static constexpr unsigned blocks_per_sm = 1;
  static constexpr unsigned stages = 8;
  static constexpr unsigned inflow = 1024;  ///< places, a multiple of steps_of_stage
  static constexpr unsigned room = inflow;  ///< places that may be forwarded before one is freed
  static constexpr unsigned steps_per_poll = 4;
  static constexpr std::uint32_t restored = empty_word;  ///< a word between clusters, once read

  static __device__ __forceinline__ bool is_empty(std::uint32_t word) {
    return static_cast<std::int32_t>(word) < 0;
  }
};
struct half_sm : whole_sm {
  static constexpr unsigned blocks_per_sm = 2;
  static constexpr unsigned stages = 4;
  static constexpr unsigned inflow = 512;
  static constexpr unsigned room = inflow;
};
struct small_sm : whole_sm {
  static constexpr unsigned stages = 2;
  static constexpr unsigned inflow = 64;
  static constexpr unsigned room = inflow;
};

template <class Sizes>
__device__ __forceinline__ bool any_empty(const quad& words) {
  return Sizes::is_empty(words.words[0] | words.words[1] | words.words[2] | words.words[3]);
}

// Rows and columns are counted from 0. Each lane of the wavefront has rows_of_lane rows and
// computes a group of columns_of_step columns per step: in step t, lane l is at group t - l. Eight
// steps are a stage. Other warps copy stages from and to memory.
inline constexpr unsigned lanes = 32;
inline constexpr unsigned rows_of_lane = 4;
inline constexpr unsigned rows_of_strip = lanes * rows_of_lane;
inline constexpr unsigned columns_of_step = 4;
inline constexpr unsigned steps_of_stage = 8;
inline constexpr unsigned columns_of_stage = columns_of_step * steps_of_stage;

/// Stages from a strip's first group until its last lane has completed that group.
inline constexpr unsigned stages_behind = lanes / steps_of_stage;

// Rings of stages have two halves; one is filled while the other is emptied. Barriers and tests are
// per half. A strip's first half is one stage, so that its first step waits for no more.
template <class Sizes>
inline constexpr unsigned stages_of_half = Sizes::stages / 2;

/// The half of its strip that contains the stage.
template <class Sizes>
__host__ __device__ constexpr unsigned half_of(unsigned stage) {
  return (stage + stages_of_half<Sizes> - 1) / stages_of_half<Sizes>;
}
/// Number of stages before this one in its half.
template <class Sizes>
__host__ __device__ constexpr unsigned place_in_half(unsigned stage) {
  return stage == 0 ? 0 : (stage - 1) % stages_of_half<Sizes>;
}
/// The stage after the half that begins with this one, unless the strip ends earlier.
template <class Sizes>
__host__ __device__ constexpr unsigned end_of_half(unsigned stage) {
  return stage == 0 ? 1 : stage + stages_of_half<Sizes>;
}

/// Index of a stage in the rings. \param half counted through all strips. \param place in the half.
template <class Sizes>
__device__ __forceinline__ unsigned part_of(unsigned half, unsigned place) {
  return stages_of_half<Sizes> * (half % 2) + place;
}

/// The column of a lane's `place` in a stage; negative or past the last column if there is none.
__device__ __forceinline__ int column_of(unsigned stage, unsigned lane, unsigned place) {
  return static_cast<int>(columns_of_stage * stage + place) -
         static_cast<int>(columns_of_step * lane);
}

/// The argument of the kernel.
struct strip_plan {
  task what;
  unsigned strips;
  unsigned groups;  ///< groups of columns, a multiple of steps_of_stage
  /// Rows from the last strip of a cluster to the first strip of the next, of words_of_row() each.
  /// There is a row per strip; all its words are empty before and after a run.
  cell<std::uint32_t>* rows_between;

  /// Stages of a strip: until the last lane with rows has completed the last group.
  __device__ unsigned stages(unsigned strip) const {
    const unsigned rows = what.scores.rows - strip * rows_of_strip;
    const unsigned last_lane = rows < rows_of_strip ? (rows - 1) / rows_of_lane : lanes - 1;
    return (groups + last_lane + steps_of_stage - 1) / steps_of_stage;
  }
  /// Halves of the rings that a full strip fills, the last one perhaps in part.
  template <class Sizes>
  __device__ unsigned halves() const {
    return half_of<Sizes>(groups / steps_of_stage + stages_behind - 1) + 1;
  }
  __host__ __device__ std::size_t words_of_row() const {
    return columns_of_step * std::size_t{groups + steps_of_stage};
  }
};

// Roles of a block's warps. Warps are distributed round-robin over the four schedulers of an SM.
// The wavefront shares its scheduler with no polling warp; the freeing warp has little to do.
inline constexpr unsigned warps_of_strip = 12;
inline constexpr unsigned freeing_warp = 8;
inline constexpr unsigned writers = 4;
inline constexpr unsigned scorers = 4;

/// \returns the warp's number among the warps on other schedulers than the wavefront's: writers,
/// scorers, and last the carrier.
__host__ __device__ constexpr unsigned helper_of(unsigned warp) {
  return warp / 4 * 3 + warp % 4 - 1;
}
__host__ __device__ constexpr bool is_helper(unsigned warp) {
  return warp % 4 != 0;
}

/// Shared memory. \tparam Sizes sizes of its rings.
template <class Sizes>
struct strip_storage {
  static constexpr unsigned stages = Sizes::stages;

  /// Scores of a stage by lane, one row of the lane after the other. One quad of padding avoids
  /// bank conflicts between lanes.
  cell<quad> tiles[stages][lanes][rows_of_lane * steps_of_stage + 1];
  /// Similarities of a stage by lane: for each column a word with one byte per row of the lane.
  cell<quad> similarities[stages][lanes][steps_of_stage + 1];
  /// The last row of the strip to the north: groups -7 to 0 (only 0 is used), then a ring.
  alignas(16) cell<std::uint32_t> inflow[columns_of_step * (steps_of_stage + Sizes::inflow)];
  /// The word of similarities by letter and lane. The entry after all letters stands for none.
  cell<std::uint32_t> words[task::letters + 1][lanes + 1];
  cell<std::uint32_t> freed;       ///< stages of `inflow` that may be refilled, for the carrier
  cell<std::uint32_t> next_freed;  ///< the same of the cluster's next block, written by that block
  cell<std::uint32_t> seen_freed;  ///< last next_freed that the freeing warp has read
  stage_pipeline<2> tile_ring;     ///< one stage per half of the rings, as below
  stage_pipeline<2> similarity_ring;
};

/// Index of the words of group 0 in an inflow.
inline constexpr unsigned first_inflow_word = columns_of_step * (steps_of_stage - 1);

/// Index of the words of group `place` + 1.
template <class Sizes>
__device__ __forceinline__ unsigned inflow_word(unsigned place) {
  return columns_of_step * (steps_of_stage + place % Sizes::inflow);
}

/// Value of an inflow word that waits for this place, or for none.
__device__ __forceinline__ std::uint32_t awaiting(const strip_plan& plan, bool has_north,
                                                  unsigned place) {
  return has_north && place + 1 < plan.groups ? empty_word : 0;
}

/// Order of strips in the grid, north to south. A cluster has adjacent strips, and no strip waits
/// for a strip that begins later.
struct strip_position {
  unsigned strip;
  unsigned stages;
  bool is_first_of_cluster;
  bool is_last_of_cluster;

  __device__ bool has_north() const { return strip != 0; }
  __device__ bool has_south(const strip_plan& plan) const { return strip + 1 < plan.strips; }
  /// Whether its north row comes through global memory.
  __device__ bool needs_carrier() const { return has_north() && is_first_of_cluster; }
  /// Whether its last row goes into the ring of the next block.
  __device__ bool fills_ring(const strip_plan& plan) const {
    return has_south(plan) && !is_last_of_cluster;
  }
  /// Whether a half of the rings ends with the stage.
  template <class Sizes>
  __device__ bool ends_half(unsigned stage) const {
    return stage % stages_of_half<Sizes> == 0 || stage + 1 == stages;
  }
};

}  // namespace finesync::nw
