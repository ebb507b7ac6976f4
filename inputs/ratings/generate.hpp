// Rating matrices made by rule, in the shape of those that cannot be shipped.
#pragma once

#include <inputs/ratings/ratings.hpp>
#include <inputs/ratings/shape.hpp>

#include <cstdint>

namespace finesync::inputs {

/// A matrix of the shape: so many lefts, rights and entries, each side with exactly the degrees
/// of degrees_of(), whose owners are chosen at random; every left and right occurs; no pair twice
/// unless the shape has repeats. The entries are in random order, as consecutive lines of a real
/// file share a left and would make any two threads next to each other contend for its lock.
///
/// Values are 0.5 to 5 in steps of a half: 3.5, plus the product of two vectors of 8 planted
/// numbers, one of the left and one of the right (standard deviation 0.8), plus noise (0.4) that
/// no factorisation can learn. Equal pairs have equal values.
///
/// The same for the same seed, as far as two C libraries agree on erfc() and log(). Takes 16
/// bytes of memory per entry. Throws input_error for a shape that no matrix has.
ratings generate(const ratings_shape& shape, std::uint32_t seed);

}  // namespace finesync::inputs
