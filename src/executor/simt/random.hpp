// SPDX-License-Identifier: Apache-2.0
// The executor's own random numbers: splitmix64, the same on every machine and standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simt {

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in 0 .. bound-1 (up to a bias of 2^-32), bound > 0.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

/// Initial content of memory: garbage that differs for each seed and in each word, so that no two
/// words are equal by chance. `bytes` is a multiple of 8.
inline void fill_with_garbage(std::byte* memory, std::size_t bytes, std::uint64_t seed) {
  random_source garbage(seed);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = garbage.next();
    std::memcpy(memory + at, &word, sizeof(word));
  }
}

}  // namespace simt
