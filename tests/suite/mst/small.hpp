// Configurations of small graphs.
#pragma once

#include <workloads/mst/run_config.hpp>

#include <tests/suite/inputs/small_graphs.hpp>

namespace finesync::mst {

using test::groups;
using test::odd_graphs;
using test::path;
using test::random_graph;
using test::small_graph;
using test::star;

inline run_config small(const small_graph& graph, unsigned light_percent = 70) {
  return {.problem = {.input = test::file_of(graph)},
          .light_percent = light_percent,
          .threads_per_block = 64,
          .blocks_per_sm = 1};
}

}  // namespace finesync::mst
