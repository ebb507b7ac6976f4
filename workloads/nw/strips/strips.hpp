// Scores without an experiment around them.
#pragma once

#include <workloads/nw/run_config.hpp>

#include <cstdint>
#include <vector>

namespace finesync::nw {

/// The matrix of a problem, by strips, verified: at(i, 0) to at(i, columns) of every row, row after
/// row. \throws what make_strips() throws, and std::runtime_error where verification fails.
std::vector<std::int32_t> scores_by_strips(const problem& what);

}  // namespace finesync::nw
