// Bytes of graphs in binary formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

using words = std::vector<std::uint64_t>;
using halves = std::vector<std::uint32_t>;

/// Of three vertices: 0 to 2, 1 and 1 again (weights 5, 6, 7), 2 to 0 (8) and with `odd` to 2 (9).
inline std::string galois_sample(bool has_weights, bool odd) {
  const std::uint64_t arcs = odd ? 5 : 4;
  halves targets{2, 1, 1, 0};
  halves weights{5, 7, 6, 8};
  if (odd) {
    targets.push_back(2);
    weights.push_back(9);
  }
  return bytes_of(words{1, has_weights ? 4u : 0u, 3, arcs, 3, 3, arcs}) + bytes_of(targets) +
         (odd ? std::string(4, '\0') : "") + (has_weights ? bytes_of(weights) : "");
}

/// The same without an odd arc.
inline std::string egr_sample(bool has_weights, bool is_wide) {
  return (is_wide ? bytes_of(words{3, 4, 0, 3, 3, 4}) : bytes_of(halves{3, 4, 0, 3, 3, 4})) +
         bytes_of(halves{2, 1, 1, 0}) + (has_weights ? bytes_of(halves{5, 7, 6, 8}) : "");
}

}  // namespace finesync::inputs
