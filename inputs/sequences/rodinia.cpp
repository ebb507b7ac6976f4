#include <inputs/glibc_random.hpp>
#include <inputs/sequences/rodinia.hpp>

#include <algorithm>
#include <cstdint>

namespace finesync::inputs {

sequence_pair rodinia_pair(std::size_t rows, std::size_t columns) {
  glibc_random random(rodinia_seed);
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
