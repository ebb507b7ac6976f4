// The section: a rating's update of the two vectors.
#pragma once

#include <workloads/sgd/run_config.hpp>
#include <workloads/sgd/vectors.cuh>

#include <cstdint>

namespace finesync::sgd {

/// The factor of a feature in a step without error.
inline constexpr float decay = 1 - learning_rate * regularisation;

/// The increment of each counting feature of a rating's user and movie.
__host__ __device__ constexpr std::uint32_t counted(std::uint32_t kind) {
  return 1 + kind;
}

__host__ __device__ constexpr float product(const four<float>& a, const four<float>& b) {
  return a.of[0] * b.of[0] + (a.of[1] * b.of[1] + (a.of[2] * b.of[2] + a.of[3] * b.of[3]));
}

__host__ __device__ constexpr four<float> mixed(float kept, const four<float>& a, float added,
                                                const four<float>& b) {
  return {{kept * a.of[0] + added * b.of[0], kept * a.of[1] + added * b.of[1],
           kept * a.of[2] + added * b.of[2], kept * a.of[3] + added * b.of[3]}};
}

__host__ __device__ constexpr four<float> scaled(float by, const four<float>& a) {
  return {{by * a.of[0], by * a.of[1], by * a.of[2], by * a.of[3]}};
}

__host__ __device__ constexpr four<std::uint32_t> plus(const four<std::uint32_t>& a,
                                                       std::uint32_t added) {
  return {{a.of[0] + added, a.of[1] + added, a.of[2] + added, a.of[3] + added}};
}

/// The step of whole vectors.
template <unsigned Fours>
__host__ __device__ constexpr void step(four<float> (&user)[Fours], four<float> (&movie)[Fours],
                                        float value, std::uint32_t /*kind*/) {
  float predicted = 0;
  for (unsigned k = 0; k < Fours; ++k) predicted += product(user[k], movie[k]);
  const float moved = learning_rate * (value - predicted);
  for (unsigned k = 0; k < Fours; ++k) {
    const four<float> before = user[k];
    user[k] = mixed(decay, before, moved, movie[k]);
    movie[k] = mixed(decay, movie[k], moved, before);
  }
}
template <unsigned Fours>
__host__ __device__ constexpr void step(four<std::uint32_t> (&user)[Fours],
                                        four<std::uint32_t> (&movie)[Fours], float /*value*/,
                                        std::uint32_t kind) {
  for (unsigned k = 0; k < Fours; ++k) {
    user[k] = plus(user[k], counted(kind));
    movie[k] = plus(movie[k], counted(kind));
  }
}

}  // namespace finesync::sgd
