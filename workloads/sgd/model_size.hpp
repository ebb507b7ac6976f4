// The sizes that a model can have.
#pragma once

#include <bench/experiment.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace finesync::sgd {

/// Kernels number features in 32 bits, and the numbers must not wrap when a grid's threads are
/// added.
inline constexpr std::size_t max_features = std::size_t{1} << 31;

/// Bytes of the vectors of all users and movies. \throws bench::infeasible for too many features
inline std::size_t bytes_of_model(std::uint32_t users, std::uint32_t movies, unsigned features) {
  const std::size_t vectors = std::size_t{users} + movies;
  if (vectors > max_features / features)
    throw bench::infeasible(std::to_string(vectors) + " users and movies are too many, with " +
                            std::to_string(features) + " features " +
                            std::to_string(max_features / features) + " fit");
  return vectors * features * sizeof(float);
}

}  // namespace finesync::sgd
