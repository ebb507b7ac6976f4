// A warp makes the steps of many ratings with a common user or movie at once. Each group of lanes
// has one of the vectors x_0, x_1, ...; all groups have the common vector q.
//
// Serially the steps would be
//
//|  e_j = rate (value_j - x_j q)     x_j <- decay x_j + e_j q     q <- decay q + e_j x_j
//
// The products x_i q of later steps follow from the initial ones and from x_i x_j, which are all
// computed at once: x_i q <- decay x_i q + e_j x_i x_j. With q, and so x_i q, divided by the decay
// so far, this is one multiply-add. Serially remain two of them for each e_j, which every lane
// computes redundantly. The result equals that of the serial order, except for rounding. A group
// without a vector takes part with zeros.
#pragma once

#include "tiles.hpp"

#include <finesync/device/cell.cuh>
#include <finesync/device/ptx/matrix_product.cuh>
#include <finesync/device/warp.cuh>
#include <workloads/sgd/step.cuh>

#include <cstdint>
#include <utility>

namespace finesync::sgd {

/// decay to the power 0, 1, ..., max_at_once, -1, ..., -max_at_once.
inline constexpr unsigned max_at_once = 8;
inline constexpr unsigned powers_of_decay = 2 * max_at_once + 1;

__device__ inline float power_of_decay(unsigned which) {
  float power = 1;
  for (unsigned n = which; n > (which > max_at_once ? max_at_once : 0); --n)
    power *= which > max_at_once ? 1 / decay : decay;
  return power;
}

/// The layout of vectors in a warp: `lanes` lanes per vector, four features each.
template <unsigned Features>
struct lane_layout {
  static constexpr unsigned all_lanes = 0xffffffffu;
  static constexpr unsigned lanes = Features / 4;
  static constexpr unsigned at_once = 32 / lanes;  ///< vectors of a warp
  static_assert(at_once <= max_at_once);

  unsigned lane = lane_id();
  unsigned group = lane / lanes;
  unsigned part = lane % lanes;

  __device__ bool leads() const { return part == 0; }
  /// Whether the group's leading lane is in the mask.
  __device__ static bool has(unsigned leaders, unsigned which) {
    return (leaders >> (which * lanes) & 1) != 0;
  }
  /// Number of lower groups with their leading lane in the mask.
  __device__ unsigned before(unsigned leaders) const {
    return static_cast<unsigned>(__popc(leaders & ((1u << (group * lanes)) - 1)));
  }
  /// Sum over the lanes of a group.
  __device__ static float sum(float value) {
    for (unsigned step = 1; step < lanes; step *= 2)
      value += __shfl_xor_sync(all_lanes, value, static_cast<int>(step));
    return value;
  }
};

/// \tparam PerGroup vectors per group of lanes, one step each. The steps of all groups' first
/// vectors come first.
template <unsigned Features, unsigned PerGroup>
class warp_update {
  using layout = lane_layout<Features>;
  static constexpr unsigned lanes = layout::lanes;
  static constexpr unsigned at_once = layout::at_once;
  static constexpr unsigned all_lanes = layout::all_lanes;
  static constexpr unsigned row = at_once < 4 ? 4 : at_once;  ///< of a matrix of products

 public:
  /// Shared memory for exchange between lanes: their vectors, the products of the vectors, and the
  /// ratings' terms of the errors.
  struct scratch {
    cell<four<float>> vectors[PerGroup][at_once][lanes];
    cell<four<float>> products[PerGroup][at_once][row / 4];
    cell<four<float>> targets[PerGroup][row / 4];
  };

  /// \param values values of the kinds. \param powers as power_of_decay() defines.
  __device__ warp_update(scratch& own, const cell<float>* values, const cell<float>* powers)
      : scratch_(own), values_(values), powers_(powers) {}

  /// The part of the step without the common vector: most of it. \param entry entries of a group's
  /// ratings. \param won leading lanes of the groups that have one; the others' vectors are zeros.
  __device__ void prepare(const four<float> (&own)[PerGroup],
                          const std::uint32_t (&entry)[PerGroup], const unsigned (&won)[PerGroup]) {
    for (unsigned c = 0; c < PerGroup; ++c)
      scratch_.vectors[c][me_.group][me_.part] = own_[c] = own[c];
    __syncwarp();
    one_by_one([&](unsigned c) {
      for (unsigned j = 0; j < at_once; ++j) vectors_[c][j] = scratch_.vectors[c][j][me_.part];
      tell_products(c, own[c], entry[c], won[c]);
    });
    __syncwarp();
  }
  /// The part that needs and updates the common vector.
  __device__ void move_common(four<float>& common, const std::uint32_t (&/*entry*/)[PerGroup],
                              const unsigned (&won)[PerGroup]) {
    one_by_one([&](unsigned c) { solve(c, common, won[c]); });
  }
  /// Updates the other vectors.
  __device__ void move_own(four<float> (&own)[PerGroup], const std::uint32_t (&/*entry*/)[PerGroup],
                           const unsigned (&won)[PerGroup]) const {
    one_by_one([&](unsigned c) {
      four<float> met = met_[c];
      float own_error = 0;
      for (unsigned j = 0; j < at_once; ++j) {
        met = mixed(1, met, j < me_.group ? errors_[c][j] : 0, vectors_[c][j]);
        if (me_.group == j) own_error = errors_[c][j];
      }
      const unsigned before = me_.before(won[c]);
      own[c] = mixed(decay, own[c], own_error * decay_of(before) * decay_of(before + 1), met);
    });
  }

  __device__ void prepare(const four<std::uint32_t> (&)[PerGroup],
                          const std::uint32_t (&)[PerGroup], const unsigned (&)[PerGroup]) {}
  __device__ void move_common(four<std::uint32_t>& common, const std::uint32_t (&entry)[PerGroup],
                              const unsigned (&won)[PerGroup]) const {
    for (unsigned c = 0; c < PerGroup; ++c) {
      const std::uint32_t kind = tile_layout::kind_of(entry[c]);
      for (unsigned j = 0; j < at_once; ++j) {
        const std::uint32_t theirs = __shfl_sync(all_lanes, kind, static_cast<int>(j * lanes));
        if (layout::has(won[c], j)) common = plus(common, counted(theirs));
      }
    }
  }
  __device__ void move_own(four<std::uint32_t> (&own)[PerGroup],
                           const std::uint32_t (&entry)[PerGroup],
                           const unsigned (&)[PerGroup]) const {
    for (unsigned c = 0; c < PerGroup; ++c)
      own[c] = plus(own[c], counted(tile_layout::kind_of(entry[c])));
  }

 private:
  /// decay to the power n, and to -n for n > 0.
  __device__ float decay_of(unsigned n) const { return powers_[n]; }
  __device__ float growth_of(unsigned n) const { return powers_[max_at_once + n]; }

  /// Calls use(0), use(1), ... once per rating of a group; unrolled, to keep arrays in registers.
  template <class Use>
  __device__ static void one_by_one(Use use) {
    [&]<unsigned... C>(std::integer_sequence<unsigned, C...>) {
      (use(C), ...);
    }
    (std::make_integer_sequence<unsigned, PerGroup>());
  }

  __device__ static float& element(four<float> (&of)[row / 4], unsigned i) {
    return of[i / 4].of[i % 4];
  }

  /// The part that does not depend on the common vector.
  __device__ void tell_products(unsigned c, const four<float>& own, std::uint32_t entry,
                                unsigned won) {
    two together = {};
    if (Features == 16 && products_of_eight(own.of, together.of)) {
      reinterpret_cast<cell<two>*>(scratch_.products[c][me_.group])[me_.part] = together;
    } else {
      float products[row] = {};
      for (unsigned j = 0; j < at_once; ++j)
        products[j] = layout::sum(product(own, vectors_[c][j]));
      for (unsigned k = 0; k < row / 4; ++k) {
        if (me_.part == k)
          scratch_.products[c][me_.group][k] = four<float>{
              {products[4 * k], products[4 * k + 1], products[4 * k + 2], products[4 * k + 3]}};
      }
    }
    const float target = learning_rate * values_[tile_layout::kind_of(entry)];
    if (me_.leads())
      reinterpret_cast<cell<float>*>(scratch_.targets[c])[me_.group] =
          layout::has(won, me_.group) ? target * growth_of(me_.before(won) + 1) : 0;
  }

  __device__ void solve(unsigned c, four<float>& common, unsigned won) {
    four<float> lower[at_once][row / 4];
    for (unsigned i = 1; i < at_once; ++i) {
      for (unsigned k = 0; k <= (i - 1) / 4; ++k) lower[i][k] = scratch_.products[c][i][k];
    }
    four<float> targets[row / 4];
    for (unsigned k = 0; k < row / 4; ++k) targets[k] = scratch_.targets[c][k];
    const float with_common = layout::sum(product(own_[c], common));
    four<float> grown[row / 4] = {};
    for (unsigned j = 0; j < at_once; ++j)
      element(grown, j) = __shfl_sync(all_lanes, with_common, static_cast<int>(j * lanes));
    met_[c] = common;
    for (unsigned j = 0; j < at_once; ++j) {
      const float error = element(targets, j) - learning_rate / decay * element(grown, j);
      for (unsigned i = j + 1; i < at_once; ++i) element(grown, i) += error * element(lower[i], j);
      errors_[c][j] = error;
      common = mixed(1, common, error, vectors_[c][j]);
    }
    common = scaled(decay_of(static_cast<unsigned>(__popc(won))), common);
  }

  struct alignas(8) two {
    float of[2];
  };
  scratch& scratch_;
  four<float> own_[PerGroup];
  four<float> vectors_[PerGroup][at_once];  ///< of all groups, the lane's parts
  float errors_[PerGroup][at_once];         ///< of all groups
  four<float> met_[PerGroup];               ///< the common vector before their steps
  const cell<float>* values_;
  const cell<float>* powers_;
  layout me_;
};

}  // namespace finesync::sgd
