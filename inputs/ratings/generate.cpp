#include <inputs/ratings/generate.hpp>
#include <inputs/ratings/pairing.hpp>
#include <inputs/ratings/random_order.hpp>
#include <inputs/ratings/streams.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace finesync::inputs {
namespace {

// Each number below `count` once, in random order.
std::vector<std::uint32_t> random_ids(std::uint32_t count, std::uint32_t seed,
                                      std::uint32_t stream) {
  std::vector<std::uint32_t> ids(count);
  in_random_order(std::span(ids), seed, stream, [&](auto&& put) {
    for (std::uint32_t id = 0; id < count; ++id) put(id);
  });
  return ids;
}

// The planted factors of a left or a right, which a factorisation should find: whole numbers from
// -128 to 127, so that values do not depend on how a machine rounds.
using factors = std::array<std::int8_t, 8>;

factors planted(std::uint32_t seed, std::uint32_t stream, std::uint32_t id) {
  factors drawn{};
  for (std::uint32_t i = 0; i < drawn.size(); ++i)
    drawn[i] = static_cast<std::int8_t>(random32(seed, stream, 2 * id + i / 4) >> (8 * (i % 4)));
  return drawn;
}

// The sum of four bytes, less its mean: nearly normal, of standard deviation 148.
int noise_of(std::uint32_t bits) {
  int sum = 0;
  for (int shift = 0; shift < 32; shift += 8) sum += static_cast<int>(bits >> shift & 0xff);
  return sum - 2 * 255;
}

float value_of(const factors& left, const factors& right, std::uint32_t bits) {
  // The product has standard deviation 8^0.5 x 74^2 = 15,446, which corresponds to 0.8 stars.
  constexpr int half_star = 9'653;
  constexpr int noise_scale = 52;  // 148 x 52 is 0.4 stars
  const int product = std::inner_product(left.begin(), left.end(), right.begin(), 0);
  const int score = 7 * half_star + product + noise_scale * noise_of(bits);
  const int halves = std::clamp((score + half_star / 2) / half_star, 1, 10);
  return static_cast<float>(halves) / 2;
}

}  // namespace

ratings generate(const ratings_shape& shape, std::uint32_t seed) {
  const sides degrees{degrees_of(shape.lefts, shape.entries, shape.name),
                      degrees_of(shape.rights, shape.entries, shape.name)};
  const std::vector<std::uint32_t> paired = pair_up(degrees, shape.repeats, seed, shape.name);
  const auto left_ids = random_ids(shape.lefts.count, seed, streams::left_ids);
  const auto right_ids = random_ids(shape.rights.count, seed, streams::right_ids);
  std::vector<factors> right_factors;
  for (std::uint32_t right = 0; right < shape.rights.count; ++right)
    right_factors.push_back(planted(seed, streams::right_factors, right));

  ratings all{shape.name, shape.lefts.count, shape.rights.count, {}};
  all.entries.resize(shape.entries);
  in_random_order(std::span(all.entries), seed, streams::entries, [&](auto&& put) {
    auto right = paired.begin();
    for (std::uint32_t left = 0; left < shape.lefts.count; ++left) {
      const factors own = planted(seed, streams::left_factors, left);
      for (const auto end = right + degrees.lefts[left]; right != end; ++right) {
        const std::uint32_t noise = random32(seed, streams::noise + left, *right);
        put({left_ids[left], right_ids[*right], value_of(own, right_factors[*right], noise)});
      }
    }
  });
  return all;
}

}  // namespace finesync::inputs
