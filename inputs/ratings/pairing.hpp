// Random pairs of lefts and rights with given degrees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

/// The degrees of both sides of a matrix, largest first; both have the same sum.
struct sides {
  std::vector<std::uint32_t> lefts;
  std::vector<std::uint32_t> rights;
};

/// The rights of the first left, then those of the second and so on. Each right occurs as often as
/// its degree; a left has no right twice, unless `repeats`. Random (a configuration model), except
/// that repeated pairs are exchanged for others. Throws input_error, which names `name`, if no such
/// pairs are found.
std::vector<std::uint32_t> pair_up(const sides& degrees, bool repeats, std::uint32_t seed,
                                   const std::string& name);

}  // namespace finesync::inputs
