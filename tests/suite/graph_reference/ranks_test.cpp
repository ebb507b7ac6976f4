// The certificate of ranks accepts what rounds of 32-bit arithmetic find, and nothing else; what it
// accepts is near the exact ranks.
#include <inputs/graphs/build.hpp>
#include <workloads/graph_reference/ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace finesync::graph_reference {
namespace {

constexpr float damping = 0.85f;
constexpr float enough = 1e-6f;

/// A graph and the number of arcs of each vertex.
struct subject {
  explicit subject(inputs::graph of) : graph(std::move(of)), sources(transposed(graph)) {
    for (std::uint32_t v = 0; v < graph.vertices(); ++v)
      arcs.push_back(graph.first[v + 1] - graph.first[v]);
  }

  inputs::graph graph;
  inputs::graph sources;
  std::vector<std::uint32_t> arcs;
};

subject random_subject(std::uint32_t vertices, std::uint32_t arcs, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<inputs::edge> drawn(arcs);
  for (inputs::edge& each : drawn)
    each = {static_cast<std::uint32_t>(random() % vertices),
            static_cast<std::uint32_t>(random() % (vertices / 2)), 1};
  return subject(inputs::directed_graph("it", vertices, drawn));
}

/// The rounds, in numbers of type Real, until no residual exceeds `limit`.
template <class Real>
struct ranking {
  explicit ranking(const subject& of, Real limit) {
    const std::uint32_t vertices = of.graph.vertices();
    const auto share_out = [&](std::vector<Real>& residuals) {
      shares_before = std::exchange(shares, residuals);
      for (std::uint32_t v = 0; v < vertices; ++v)
        shares[v] /= static_cast<Real>(std::max(of.arcs[v], 1u));
    };
    std::vector<Real> residuals(vertices, 1 - static_cast<Real>(damping));
    ranks = residuals;
    share_out(residuals);
    for (bool more = true; more; ++rounds) {
      std::ranges::fill(residuals, Real{0});
      for (std::uint32_t u = 0; u < vertices; ++u)
        for (std::uint32_t arc = of.graph.first[u]; arc < of.graph.first[u + 1]; ++arc)
          residuals[of.graph.targets[arc]] += shares[u];
      more = false;
      for (std::uint32_t v = 0; v < vertices; ++v) {
        residuals[v] *= static_cast<Real>(damping);
        ranks[v] += residuals[v];
        more |= residuals[v] > limit;
      }
      share_out(residuals);
    }
  }

  std::uint32_t rounds = 0;
  std::vector<Real> ranks;
  std::vector<Real> shares;
  std::vector<Real> shares_before;
};

std::optional<std::string> fault(const subject& of, const ranking<float>& found) {
  return fault_of_ranks(of.sources, of.arcs,
                        {.damping = damping,
                         .enough = enough,
                         .rounds = found.rounds,
                         .ranks = found.ranks,
                         .shares = found.shares,
                         .shares_before = found.shares_before},
                        [](std::uint32_t arcs) { return arcs; });
}

std::vector<subject> subjects() {
  std::vector<subject> all{subject(inputs::graph()), subject(inputs::directed_graph("one", 1, {})),
                           subject(inputs::directed_graph("apart", 3, {}))};
  const std::vector<inputs::edge> loop{{0, 0, 1}};
  all.emplace_back(inputs::directed_graph("loop", 1, loop));
  const std::vector<inputs::edge> repeated{{0, 1, 1}, {0, 1, 2}, {1, 0, 1}, {1, 2, 1}, {2, 2, 1}};
  all.emplace_back(inputs::directed_graph("repeated", 4, repeated));
  std::vector<inputs::edge> star;
  for (std::uint32_t i = 1; i < 3000; ++i) star.push_back({0, i, 1});
  all.emplace_back(inputs::undirected_graph("star", 3000, star));
  all.push_back(random_subject(40, 160, 1));
  all.push_back(random_subject(5000, 30000, 2));
  return all;
}

TEST(ranks, of_rounds_pass_and_are_near_the_exact_ones) {
  for (const subject& of : subjects()) {
    const ranking<float> found(of, enough);
    EXPECT_EQ(fault(of, found), std::nullopt) << of.graph.name;
    const ranking<double> exact(of, 1e-14);
    double distance = 0;
    for (std::uint32_t v = 0; v < of.graph.vertices(); ++v)
      distance += std::abs(exact.ranks[v] - static_cast<double>(found.ranks[v]));
    // What the residuals may still pass on, and rounding, which is passed on too.
    const double all = std::accumulate(exact.ranks.begin(), exact.ranks.end(), 0.0);
    std::uint32_t longest = 0;
    for (std::uint32_t v = 0; v < of.graph.vertices(); ++v)
      longest = std::max(longest, of.sources.first[v + 1] - of.sources.first[v]);
    const double still = 0.85 / 0.15 * 1e-6 * of.graph.vertices();
    const double rounding = (2.0 * found.rounds + longest + 4) * 0x1p-24 * all / 0.15;
    EXPECT_LE(distance, still + rounding) << of.graph.name;
  }
}

TEST(ranks, with_any_one_wrong_are_rejected) {
  const subject of = random_subject(40, 160, 3);
  const ranking<float> right(of, enough);
  ASSERT_EQ(fault(of, right), std::nullopt);
  for (std::uint32_t v = 0; v < 40; ++v)
    for (const float factor : {0.0f, 0.999f, 1.001f, -1.0f, std::nanf("")}) {
      ranking<float> wrong = right;
      wrong.ranks[v] *= factor;
      EXPECT_TRUE(fault(of, wrong)) << v << ": " << factor;
    }
}

TEST(ranks, with_residuals_are_rejected) {
  const subject of = random_subject(40, 160, 4);
  EXPECT_TRUE(fault(of, ranking<float>(of, 1e-5f)));
  ranking<float> wrong(of, enough);
  wrong.shares[7] = std::nanf("");
  EXPECT_TRUE(fault(of, wrong));
  wrong = ranking<float>(of, enough);
  wrong.rounds = 0;
  EXPECT_EQ(fault(of, wrong), "there was no round");
}

// Nobody's rank depends on it.
TEST(ranks, of_a_last_vertex_without_arcs_decide) {
  const std::vector<inputs::edge> arcs{{0, 1, 1}, {1, 0, 1}, {0, 2, 1}};
  const subject of(inputs::directed_graph("end", 3, arcs));
  ranking<float> found(of, enough);
  EXPECT_EQ(fault(of, found), std::nullopt);
  found.ranks[2] *= 1.001f;
  EXPECT_TRUE(fault(of, found));
}

TEST(ranks, of_a_round_too_many_are_rejected) {
  const subject of = random_subject(40, 160, 5);
  EXPECT_TRUE(fault(of, ranking<float>(of, 0.8e-6f)));
}

}  // namespace
}  // namespace finesync::graph_reference
