// A hash that identifies a text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace finesync::inputs {

/// SHA-256 (FIPS 180-4); the first 16 hexadecimal digits suffice here. Its constants are computed:
/// bits of the roots of primes.
class sha256 {
 public:
  static std::string of(std::string text) {
    const std::uint64_t bits = text.size() * 8;
    text += '\x80';
    text.resize((text.size() + 8 + 63) / 64 * 64, '\0');
    for (std::size_t i = 0; i < 8; ++i)
      text[text.size() - 1 - i] = static_cast<char>(bits >> 8 * i & 0xff);
    sha256 made;
    for (std::size_t at = 0; at < text.size(); at += 64) made.add(&text[at]);
    return fmt::format("{:08x}{:08x}", made.state_[0], made.state_[1]);
  }

 private:
  using word = std::uint32_t;

  // The first 32 bits after the binary point of the root of this degree.
  static word root_bits(std::uint32_t number, int degree) {
    // The largest x below 2^36 whose power is at most number x 2^(32 x degree).
    std::uint64_t x = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 36; bit != 0; bit >>= 1) {
      long double power = 1;
      for (int i = 0; i < degree; ++i) power *= static_cast<long double>(x + bit) / 0x1p32L;
      if (power <= static_cast<long double>(number)) x += bit;
    }
    return static_cast<word>(x);
  }

  sha256() {
    std::size_t found = 0;
    for (std::uint32_t n = 2; found < 64; ++n) {
      bool is_prime = true;
      for (std::uint32_t i = 2; i < n; ++i) is_prime = is_prime && n % i != 0;
      if (!is_prime) continue;
      if (found < 8) state_.at(found) = root_bits(n, 2);
      added_.at(found++) = root_bits(n, 3);
    }
  }

  void add(const char* block) {
    std::array<word, 64> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(block[i]);
    for (std::size_t i = 16; i < 64; ++i) {
      const word a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
      const word b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    std::array<word, 8> s = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const word e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
      const word one = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + added_[i] + w[i];
      const word a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
      const word two = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      std::rotate(s.begin(), s.end() - 1, s.end());
      s[4] += one;
      s[0] = one + two;
    }
    for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
  }

  std::array<word, 8> state_{};
  std::array<word, 64> added_{};
};

}  // namespace finesync::inputs
