// Vectors in memory, whose locks the caller holds.
#pragma once

#include <workloads/sgd/step.cuh>
#include <workloads/sgd/vectors.cuh>

#include <cstdint>

namespace finesync::sgd {

/// A vector in a thread's registers.
template <class Feature, unsigned Fours>
struct locked_vector {
  four<Feature> of[Fours];

  __device__ void load(const cell<four<Feature>>* from) {
    for (unsigned k = 0; k < Fours; ++k) of[k] = from[k];
  }
  __device__ void store(cell<four<Feature>>* to) const {
    for (unsigned k = 0; k < Fours; ++k) to[k] = of[k];
  }
};

/// The whole section of a rating.
template <unsigned Fours, class Feature>
__device__ void step_in_memory(cell<four<Feature>>* user_vector, cell<four<Feature>>* movie_vector,
                               float value, std::uint32_t kind) {
  locked_vector<Feature, Fours> user;
  locked_vector<Feature, Fours> movie;
  user.load(user_vector);
  movie.load(movie_vector);
  step(user.of, movie.of, value, kind);
  user.store(user_vector);
  movie.store(movie_vector);
}

}  // namespace finesync::sgd
