// A strip: the rows of the matrix that one block computes, by one warp in lockstep. What its warps
// share, and how it is cut.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/ptx/copy_async.cuh>
#include <workloads/nw/matrix/task.cuh>
#include <workloads/nw/strips/stage_pipeline.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::nw {

// Values. Instead of S(i, j) kernels of strips compute S(i, j) + gap * (i + j). Of those the
// borders are 0, a gap costs nothing, none is less than its neighbours to the north and west, and
// none is negative: the sign is free to say that a word is empty.

/// Of a word that has no score yet.
inline constexpr std::uint32_t empty_word = 0xffffffffu;

// How large the rings of a block are: those of a block that has an SM to itself, of two on an SM,
// and of one on a GPU whose blocks have 48 KB of shared memory. And how a word says that it is
// empty: tests have broken variants in which one of this is wrong.
struct whole_sm {
  static constexpr unsigned blocks_per_sm = 1;
  static constexpr unsigned stages = 8;
  static constexpr unsigned inflow = 1024;  ///< places, a multiple of steps_of_stage
  static constexpr unsigned room = inflow;  ///< places that may be handed on before one is freed
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

// Rows and columns, from 0 on. Each lane of the wavefront has rows_of_lane rows, of which it
// computes a group of columns_of_step columns in a step: in step t lane l is at group t - l. Eight
// steps are a stage, which other warps carry from and to memory.
inline constexpr unsigned lanes = 32;
inline constexpr unsigned rows_of_lane = 4;
inline constexpr unsigned rows_of_strip = lanes * rows_of_lane;
inline constexpr unsigned columns_of_step = 4;
inline constexpr unsigned steps_of_stage = 8;
inline constexpr unsigned columns_of_stage = columns_of_step * steps_of_stage;

/// Stages between a strip's first group and when its last lane is through with it.
inline constexpr unsigned stages_behind = lanes / steps_of_stage;

// Rings of stages have two halves, of which one is filled while the other is emptied: barriers are
// of halves, and so are questions. A strip's first half is one stage, so that its first step waits
// for no more.
template <class Sizes>
inline constexpr unsigned stages_of_half = Sizes::stages / 2;

/// The half of its strip that a stage is in.
template <class Sizes>
__host__ __device__ constexpr unsigned half_of(unsigned stage) {
  return (stage + stages_of_half<Sizes> - 1) / stages_of_half<Sizes>;
}
/// How many stages of its half are before it.
template <class Sizes>
__host__ __device__ constexpr unsigned place_in_half(unsigned stage) {
  return stage == 0 ? 0 : (stage - 1) % stages_of_half<Sizes>;
}
/// The stage behind the half that begins with this one, if the strip does not end before.
template <class Sizes>
__host__ __device__ constexpr unsigned end_of_half(unsigned stage) {
  return stage == 0 ? 1 : stage + stages_of_half<Sizes>;
}

/// Where a stage is in the rings. \param half counted through all strips. \param place in it.
template <class Sizes>
__device__ __forceinline__ unsigned part_of(unsigned half, unsigned place) {
  return stages_of_half<Sizes> * (half % 2) + place;
}

/// The column of a lane's `place` in a stage; negative, or beyond the last, where it has none.
__device__ __forceinline__ int column_of(unsigned stage, unsigned lane, unsigned place) {
  return static_cast<int>(columns_of_stage * stage + place) -
         static_cast<int>(columns_of_step * lane);
}

/// What the kernel is told.
struct strip_plan {
  task what;
  unsigned strips;
  unsigned groups;  ///< of columns, a multiple of steps_of_stage
  /// From the last strip of a cluster to the first of the next one: a row per strip, of
  /// words_of_row(), all of them empty before and after.
  cell<std::uint32_t>* rows_between;

  /// Stages of a strip: until the last lane that has rows is through with the last group.
  __device__ unsigned stages(unsigned strip) const {
    const unsigned rows = what.scores.rows - strip * rows_of_strip;
    const unsigned last_lane = rows < rows_of_strip ? (rows - 1) / rows_of_lane : lanes - 1;
    return (groups + last_lane + steps_of_stage - 1) / steps_of_stage;
  }
  /// Halves of the rings that a strip fills which has all its rows, the last one perhaps in part.
  template <class Sizes>
  __device__ unsigned halves() const {
    return half_of<Sizes>(groups / steps_of_stage + stages_behind - 1) + 1;
  }
  __host__ __device__ std::size_t words_of_row() const {
    return columns_of_step * std::size_t{groups + steps_of_stage};
  }
};

// Warps of a block by what they do. Warps go round the four schedulers of an SM, and the wavefront
// shares its own with none that polls: the one that frees the inflow has little to do.
inline constexpr unsigned warps_of_strip = 12;
inline constexpr unsigned freeing_warp = 8;
inline constexpr unsigned writers = 4;
inline constexpr unsigned scorers = 4;

/// \returns the warp's number among those beside the wavefront's scheduler: writers, scorers, and
/// last the carrier.
__host__ __device__ constexpr unsigned helper_of(unsigned warp) {
  return warp / 4 * 3 + warp % 4 - 1;
}
__host__ __device__ constexpr bool is_helper(unsigned warp) {
  return warp % 4 != 0;
}

/// Shared memory. \tparam Sizes of its rings.
template <class Sizes>
struct strip_storage {
  static constexpr unsigned stages = Sizes::stages;

  /// Scores of a stage by lane, one row of the lane behind the other. A quad more, so that lanes do
  /// not meet in banks.
  cell<quad> tiles[stages][lanes][rows_of_lane * steps_of_stage + 1];
  /// Similarities of a stage by lane: of each column a word with a byte for each of its rows.
  cell<quad> similarities[stages][lanes][steps_of_stage + 1];
  /// The last row of the strip to the north: groups -7 to 0, of which only 0 is used, and then a
  /// ring of the others.
  alignas(16) cell<std::uint32_t> inflow[columns_of_step * (steps_of_stage + Sizes::inflow)];
  /// The word of similarities by letter and lane. The letter behind all others is none.
  cell<std::uint32_t> words[task::letters + 1][lanes + 1];
  cell<std::uint32_t> freed;       ///< stages of `inflow` that may be filled again, for the carrier
  cell<std::uint32_t> next_freed;  ///< the same of the next block of the cluster, written by that
  cell<std::uint32_t> seen_freed;  ///< of those, what the freeing warp has seen, for the wavefront
  stage_pipeline<2> tile_ring;     ///< halves of it, as of the next one
  stage_pipeline<2> similarity_ring;
};

/// Where the words of group 0 stand in an inflow.
inline constexpr unsigned first_inflow_word = columns_of_step * (steps_of_stage - 1);

/// Where those of group `place` + 1 do.
template <class Sizes>
__device__ __forceinline__ unsigned inflow_word(unsigned place) {
  return columns_of_step * (steps_of_stage + place % Sizes::inflow);
}

/// Of a word in an inflow that is to receive a place of this number, or of none.
__device__ __forceinline__ std::uint32_t awaiting(const strip_plan& plan, bool has_north,
                                                  unsigned place) {
  return has_north && place + 1 < plan.groups ? empty_word : 0;
}

/// The grid's order of strips, north to south: a cluster has neighbours, and no strip waits for one
/// that is begun later.
struct strip_position {
  unsigned strip;
  unsigned stages;
  bool is_first_of_cluster;
  bool is_last_of_cluster;

  __device__ bool has_north() const { return strip != 0; }
  __device__ bool has_south(const strip_plan& plan) const { return strip + 1 < plan.strips; }
  /// Its north comes through global memory.
  __device__ bool needs_carrier() const { return has_north() && is_first_of_cluster; }
  /// Its last row goes into the ring of the next block.
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
