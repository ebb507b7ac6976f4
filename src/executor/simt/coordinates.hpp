// SPDX-License-Identifier: Apache-2.0
// Places in boxes of up to three dimensions, and their numbers: x first, then y, then z.
#pragma once

#include <cstdint>

namespace simt {

struct coordinates {
  std::uint32_t x = 0, y = 0, z = 0;
};

inline std::uint32_t volume(const coordinates& c) {
  return c.x * c.y * c.z;
}

/// The place with this number in a box.
inline coordinates unravel(std::uint32_t number, const coordinates& box) {
  return {number % box.x, number / box.x % box.y, number / (box.x * box.y)};
}
inline std::uint32_t ravel(const coordinates& place, const coordinates& box) {
  return place.x + box.x * (place.y + box.y * place.z);
}

inline coordinates quotient(const coordinates& a, const coordinates& b) {
  return {a.x / b.x, a.y / b.y, a.z / b.z};
}
inline coordinates remainder(const coordinates& a, const coordinates& b) {
  return {a.x % b.x, a.y % b.y, a.z % b.z};
}

}  // namespace simt
