// The streams of random numbers that generate() uses.
#pragma once

#include <cstdint>

namespace finesync::inputs::streams {

inline constexpr std::uint32_t left_ids = 0;
inline constexpr std::uint32_t right_ids = 2;
inline constexpr std::uint32_t stubs = 4;
inline constexpr std::uint32_t entries = 6;
inline constexpr std::uint32_t exchanges = 8;
inline constexpr std::uint32_t left_factors = 9;
inline constexpr std::uint32_t right_factors = 10;
/// From here on one stream per left.
inline constexpr std::uint32_t noise = 1u << 20;
inline constexpr std::uint32_t choices = 1u << 30;

}  // namespace finesync::inputs::streams
