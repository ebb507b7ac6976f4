// Zipf-distributed keys: the k-th most frequent of n keys has a probability proportional to 1 / k^s
// (s = 0: uniform).
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <inputs/random.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::inputs {

/// The kernel's handle; trivially copyable.
struct zipf_ref {
  const cell<std::uint32_t>* upper;  ///< per rank: end of its share of all 32-bit numbers
  std::uint32_t keys;

  /// \param bits a uniform random number. \returns a key; keys of similar frequency are far apart.
  __device__ std::uint32_t operator()(std::uint32_t bits) const {
    std::uint32_t rank = 0;
    for (std::uint32_t end = keys - 1; rank < end;) {
      const std::uint32_t middle = rank + (end - rank) / 2;
      if (bits < upper[middle])
        end = middle;
      else
        rank = middle + 1;
    }
    constexpr std::uint64_t prime = 2654435761u;  // larger than any number of keys: a bijection
    return static_cast<std::uint32_t>(rank * prime % keys);
  }
};

/// Owns the cumulative distribution in device memory.
class zipf {
 public:
  /// \param keys 1 to 2^31. \param exponent s, 0 or more.
  zipf(std::uint32_t keys, double exponent) : upper_(keys) {
    std::vector<double> shares(keys);
    double sum = 0;
    for (std::size_t rank = 0; rank < keys; ++rank)
      sum += shares[rank] = std::pow(static_cast<double>(rank + 1), -exponent);
    std::vector<std::uint32_t> upper(keys);
    double below = 0;
    for (std::size_t rank = 0; rank < keys; ++rank) {
      below += shares[rank];
      upper[rank] = static_cast<std::uint32_t>(std::min(below / sum * 0x1p32, 0x1p32 - 1));
    }
    upper_.copy_from(upper);
  }

  zipf_ref ref() const { return {upper_.device_data(), static_cast<std::uint32_t>(upper_.size())}; }

 private:
  buffer<std::uint32_t> upper_;
};

}  // namespace finesync::inputs
