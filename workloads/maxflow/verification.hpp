// Whether a run has found a maximum flow.
#pragma once

#include <workloads/maxflow/network.hpp>

#include <string>

namespace finesync::maxflow {

/// What is wrong with the flow that a run has left, in one line; nothing if it is right.
std::string wrong_with(const network& found);

}  // namespace finesync::maxflow
