// Scores without an experiment.
#pragma once

#include <workloads/nw/run_config.hpp>

#include <cstdint>
#include <vector>

namespace finesync::nw {

/// The verified matrix of a problem, by strips: at(i, 0) to at(i, columns) of every row, row after
/// row. \throws as make_strips() does, and std::runtime_error if verification fails.
std::vector<std::int32_t> scores_by_strips(const problem& what);

}  // namespace finesync::nw
