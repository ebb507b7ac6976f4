// Generated rating matrices, in the shape of data sets that cannot be redistributed.
#pragma once

#include <inputs/ratings/ratings.hpp>
#include <inputs/ratings/shape.hpp>

#include <cstdint>

namespace finesync::inputs {

/// A matrix of the shape: its numbers of lefts, rights and entries, and exactly the degrees of
/// degrees_of() on each side, with random owners. Every left and right occurs; no pair occurs twice
/// unless the shape has repeats. The entries are in random order: consecutive lines of a real file
/// share a left, and neighbouring threads would contend for its lock.
///
/// Values are 0.5 to 5 in steps of a half. A value is 3.5, plus the product of two vectors of 8
/// planted numbers, of the left and of the right (standard deviation 0.8), plus noise (0.4) that no
/// factorisation can learn. Equal pairs have equal values.
///
/// The same for the same seed, if the C libraries agree on erfc() and log(). Takes 16 bytes of
/// memory per entry. Throws input_error for a shape that no matrix has.
ratings generate(const ratings_shape& shape, std::uint32_t seed);

}  // namespace finesync::inputs
