#include <inputs/input_error.hpp>
#include <inputs/ratings/shape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>

namespace finesync::inputs {
namespace {

std::uint32_t divided(std::uint32_t number, double divisor) {
  return std::max(1u, static_cast<std::uint32_t>(std::lround(number / divisor)));
}

side_shape divided(const side_shape& side, double by) {
  return {divided(side.count, by), divided(side.least, by), divided(side.centre, by),
          divided(side.largest, by)};
}

std::string without_divisor(const std::string& name) {
  return name.substr(0, name.find('/'));
}

std::uint32_t divisor_of(const std::string& name) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return 1;
  std::uint32_t divisor = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, problem] = std::from_chars(name.data() + slash + 1, end, divisor);
  if (problem != std::errc() || stop != end || divisor == 0)
    throw input_error(name, "the text after '/' must be a whole number from 1");
  return divisor;
}

// The cumulative log-normal distribution at x, for whole numbers.
double share_up_to(double x, double centre, double width) {
  return std::erfc(-std::log((x + 0.5) / centre) / width / std::numbers::sqrt2) / 2;
}

// Degrees, smallest first, by a law of this width (the standard deviation of the logarithm).
std::vector<std::uint32_t> degrees_by_law(const side_shape& side, double width) {
  const double below = share_up_to(side.least - 1.0, side.centre, width);
  const double within = share_up_to(side.largest, side.centre, width) - below;
  std::vector<std::uint32_t> degrees;
  degrees.reserve(side.count);
  for (std::uint32_t degree = side.least; degree < side.largest; ++degree) {
    const double share = (share_up_to(degree, side.centre, width) - below) / within;
    const auto so_far = static_cast<std::size_t>(std::lround(share * side.count));
    degrees.resize(std::max(degrees.size(), so_far), degree);
  }
  degrees.resize(side.count - 1, side.largest);
  degrees.push_back(side.largest);
  return degrees;
}

std::uint64_t sum(const std::vector<std::uint32_t>& degrees) {
  return std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0});
}

// Adds or subtracts 1 at some degrees, but not at the largest, until the sum is right.
bool make_up(std::vector<std::uint32_t>& degrees, const side_shape& side, std::uint64_t entries) {
  std::uint64_t now = sum(degrees);
  for (bool changed = true; now != entries && changed;) {
    changed = false;
    for (std::size_t i = 1; i < degrees.size() && now != entries; ++i) {
      if (degrees[i] == (now < entries ? side.largest : side.least)) continue;
      degrees[i] += now < entries ? 1 : -1;
      now += now < entries ? 1 : -1;
      changed = true;
    }
  }
  return now == entries;
}

}  // namespace

const std::vector<ratings_shape>& known_shapes() {
  static const std::vector shapes{ratings_shape{.name = "netflix-like",
                                                .lefts = {480'189, 1, 96, 17'653},
                                                .rights = {17'770, 3, 561, 232'944},
                                                .entries = 100'480'507,
                                                .repeats = false},
                                  ratings_shape{.name = "rcv1-like",
                                                .lefts = {781'265, 1, 90, 1'585},
                                                .rights = {283'911, 1, 4, 345'056},
                                                .entries = 96'903'520,
                                                .repeats = true},
                                  ratings_shape{.name = "movielens-10m-like",
                                                .lefts = {69'878, 20, 69, 7'359},
                                                .rights = {10'677, 1, 135, 34'864},
                                                .entries = 10'000'054,
                                                .repeats = false}};
  return shapes;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const ratings_shape& shape : known_shapes()) names.push_back(shape.name);
  return names;
}

bool names_shape(const std::string& name) {
  return std::ranges::count(known_shapes(), without_divisor(name), &ratings_shape::name) != 0;
}

ratings_shape shape_named(const std::string& name) {
  const std::string whole = without_divisor(name);
  const auto found = std::ranges::find(known_shapes(), whole, &ratings_shape::name);
  if (found == known_shapes().end()) throw input_error(name, "there is no such generator");
  const std::uint32_t divisor = divisor_of(name);
  if (divisor == 1) return *found;
  // Mean degrees shrink with the square root of the divisor.
  const double mean =
      double{1} * found->entries / std::max(found->lefts.count, found->rights.count);
  if (divisor > mean * mean)
    throw input_error(name,
                      fmt::format("the divisor must be {:.0f} at most", std::floor(mean * mean)));
  ratings_shape smaller = *found;
  smaller.name = name;
  smaller.lefts = divided(found->lefts, std::sqrt(divisor));
  smaller.rights = divided(found->rights, std::sqrt(divisor));
  smaller.entries = divided(found->entries, divisor);
  return smaller;
}

std::vector<std::uint32_t> degrees_of(const side_shape& side, std::uint32_t entries,
                                      const std::string& name) {
  // The sum grows with the width, if the centre is well below the mean.
  double narrow = 0.01;
  double wide = 10;
  for (int halvings = 0; halvings < 30; ++halvings) {
    const double width = (narrow + wide) / 2;
    (sum(degrees_by_law(side, width)) < entries ? narrow : wide) = width;
  }
  std::vector<std::uint32_t> degrees = degrees_by_law(side, wide);
  std::ranges::reverse(degrees);
  if (!make_up(degrees, side, entries))
    throw input_error(name, fmt::format("no degrees add up to {} entries", entries));
  return degrees;
}

}  // namespace finesync::inputs
