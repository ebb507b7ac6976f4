// Checks that a graph is valid.
#pragma once

#include <inputs/graphs/graph.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace finesync::inputs {

inline void check_graph(const graph& read) {
  ASSERT_FALSE(read.first.empty());
  ASSERT_EQ(read.first.front(), 0u);
  ASSERT_EQ(read.first.back(), read.arcs());
  ASSERT_EQ(read.weights.size(), read.targets.size());
  for (std::uint32_t u = 0; u < read.vertices(); ++u) {
    ASSERT_LE(read.first[u], read.first[u + 1]);
    for (std::uint32_t arc = read.first[u]; arc < read.first[u + 1]; ++arc) {
      ASSERT_LT(read.targets[arc], read.vertices());
      ASSERT_LE(read.weights[arc], max_weight);
      const auto place = [&](std::uint32_t of) {
        return std::pair(read.targets[of], read.weights[of]);
      };
      ASSERT_TRUE(arc == read.first[u] || place(arc - 1) <= place(arc));
    }
  }
}

/// Undirected, each edge once.
inline void check_simple(const graph& read) {
  check_graph(read);
  ASSERT_TRUE(read.is_simple);
  ASSERT_TRUE(is_undirected(read));
  for (std::uint32_t u = 0; u < read.vertices(); ++u)
    for (std::uint32_t arc = read.first[u]; arc < read.first[u + 1]; ++arc) {
      ASSERT_NE(read.targets[arc], u);
      ASSERT_TRUE(arc == read.first[u] || read.targets[arc - 1] != read.targets[arc]);
    }
}

}  // namespace finesync::inputs
