// Configurations of small graphs.
#pragma once

#include <workloads/traversal/run_config.hpp>

#include <tests/suite/inputs/small_graphs.hpp>

namespace finesync::traversal {

/// Two blocks of two warps on each SM.
inline run_config small(const test::small_graph& graph,
                        barrier_form form = barrier_form::blocking) {
  return {.input = test::file_of(graph),
          .source = {},
          .threads_per_block = 64,
          .blocks_per_sm = 2,
          .form = form};
}

}  // namespace finesync::traversal
