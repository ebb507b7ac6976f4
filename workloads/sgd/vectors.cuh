// The learned vectors of all users and all movies, in device memory.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <inputs/random.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::sgd {

/// Features are read and written four at a time.
template <class Feature>
struct alignas(16) four {
  Feature of[4];
};

/// The vectors of one side. The kernel side; trivially copyable, passed by value.
template <class Feature, unsigned Features>
struct vectors_ref {
  static constexpr unsigned fours = Features / 4;

  cell<four<Feature>>* first;

  __host__ __device__ cell<four<Feature>>* operator[](std::uint32_t id) const {
    return first + std::size_t{id} * fours;
  }
};

/// The vectors of both sides. \tparam Feature float, or std::uint32_t if features only count.
template <class Feature, unsigned Features>
struct model_ref {
  static constexpr unsigned features = Features;
  using feature = Feature;

  vectors_ref<Feature, Features> users;
  vectors_ref<Feature, Features> movies;
};

/// Initial value of a feature of either side: the product of two vectors is about the mean rating.
__host__ __device__ constexpr float first_feature(std::uint32_t side, std::uint32_t number,
                                                  float centre) {
  const std::uint32_t bits = inputs::random32(77, side, number) >> 8;
  return centre * (0.7f + 0.6f * static_cast<float>(bits) * 0x1p-24f);
}

}  // namespace finesync::sgd
