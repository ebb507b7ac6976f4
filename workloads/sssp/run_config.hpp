// Parameters of shortest paths from one vertex at one point of a sweep.
#pragma once

#include <workloads/traversal/run_config.hpp>

namespace finesync::sssp {

using traversal::run_config;

}  // namespace finesync::sssp
