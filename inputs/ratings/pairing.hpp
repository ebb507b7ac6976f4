// Who meets whom, where all that is given is how often each meets somebody.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

/// The two sides of a matrix to make: degrees, largest first, which add up to the same.
struct sides {
  std::vector<std::uint32_t> lefts;
  std::vector<std::uint32_t> rights;
};

/// The rights of the first left, then those of the second and so on, each right as often as its
/// degree says; a left has no right twice, unless `repeats`. At random (a configuration model),
/// except that pairs which would be repeated are exchanged for others. Throws input_error, which
/// names `name`, where that cannot be done.
std::vector<std::uint32_t> pair_up(const sides& degrees, bool repeats, std::uint32_t seed,
                                   const std::string& name);

}  // namespace finesync::inputs
