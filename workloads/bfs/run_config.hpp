// Parameters of breadth-first search at one point of a sweep.
#pragma once

#include <workloads/traversal/run_config.hpp>

namespace finesync::bfs {

using traversal::run_config;

}  // namespace finesync::bfs
