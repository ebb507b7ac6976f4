#include <inputs/sequences/rodinia.hpp>

#include <algorithm>

namespace finesync::inputs {

glibc_random::glibc_random(std::uint32_t seed) {
  // The minimal standard generator, on signed words as glibc has it.
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

std::uint32_t glibc_random::operator()() {
  const std::uint32_t made = last_[oldest_] += last_[(oldest_ + words - lag) % words];
  oldest_ = (oldest_ + 1) % words;
  return made >> 1;
}

sequence_pair rodinia_pair(std::size_t rows, std::size_t columns) {
  glibc_random random(7);
  const auto letters = [&](std::size_t count) {
    std::vector<std::uint8_t> made(count);
    std::ranges::generate(made, [&] { return static_cast<std::uint8_t>(random() % 10 + 1); });
    return made;
  };
  sequence_pair made{{"rodinia.down", letters(rows)}, {}};
  made.across = {"rodinia.across", letters(columns)};
  return made;
}

}  // namespace finesync::inputs
