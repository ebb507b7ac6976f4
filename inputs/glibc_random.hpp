// The random numbers of glibc, independent of the C library in use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace finesync::inputs {

/// The numbers of rand() after srand(seed), and of random() after srandom(seed): the upper 31 bits
/// of an additive feedback generator, x[i] = x[i-3] + x[i-31].
class glibc_random {
 public:
  explicit glibc_random(std::uint32_t seed) {
    // The minimal standard generator, on signed words as in glibc.
    constexpr std::int64_t modulus = 2147483647;
    auto word = static_cast<std::int32_t>(seed == 0 ? 1 : seed);
    for (std::uint32_t& each : last_) {
      each = static_cast<std::uint32_t>(word);
      const std::int64_t next = std::int64_t{16807} * word % modulus;
      word = static_cast<std::int32_t>(next < 0 ? next + modulus : next);
    }
    constexpr std::size_t thrown_away = 310;
    for (std::size_t i = 0; i < thrown_away; ++i) (*this)();
  }

  /// 0 to 2^31 - 1.
  std::uint32_t operator()() {
    const std::uint32_t made = last_[oldest_] += last_[(oldest_ + words - lag) % words];
    oldest_ = (oldest_ + 1) % words;
    return made >> 1;
  }

 private:
  static constexpr std::size_t words = 31;
  static constexpr std::size_t lag = 3;
  std::array<std::uint32_t, words> last_;
  std::size_t oldest_ = lag;
};

}  // namespace finesync::inputs
