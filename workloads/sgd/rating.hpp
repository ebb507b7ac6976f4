// One rating, as kernels read it.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::sgd {

/// Users and movies are numbered by descending number of ratings. Values have at most 256 kinds.
struct rating {
  std::uint32_t user;
  std::uint32_t movie;
  std::uint32_t kind;
};

inline constexpr std::uint32_t max_kinds = 256;
inline constexpr std::uint32_t most_of_a_side = 1u << 28;

__host__ __device__ constexpr std::uint64_t packed(const rating& r) {
  return std::uint64_t{r.user} | std::uint64_t{r.movie} << 28 | std::uint64_t{r.kind} << 56;
}
__host__ __device__ constexpr rating unpacked(std::uint64_t word) {
  constexpr std::uint32_t mask = most_of_a_side - 1;
  return {static_cast<std::uint32_t>(word) & mask, static_cast<std::uint32_t>(word >> 28) & mask,
          static_cast<std::uint32_t>(word >> 56)};
}

}  // namespace finesync::sgd
