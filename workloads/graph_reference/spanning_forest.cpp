#include <workloads/graph_reference/spanning_forest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace finesync::graph_reference {
namespace {

// Sets of vertices that are joined.
class trees {
 public:
  explicit trees(std::uint32_t vertices) : above_(vertices) {
    std::iota(above_.begin(), above_.end(), 0u);
  }

  std::uint32_t root(std::uint32_t vertex) {
    while (above_[vertex] != vertex) vertex = above_[vertex] = above_[above_[vertex]];
    return vertex;
  }

  // False where both are of one tree already.
  bool join(std::uint32_t one, std::uint32_t other) {
    one = root(one);
    other = root(other);
    if (one == other) return false;
    // Which goes below the other is as good as random, and the same each time: paths stay short.
    constexpr std::uint32_t odd = 0x9e3779b9;
    if (one * odd > other * odd) std::swap(one, other);
    above_[one] = other;
    return true;
  }

 private:
  std::vector<std::uint32_t> above_;
};

struct candidate {
  std::uint32_t weight;
  std::uint32_t arc;
  std::uint32_t from;

  bool operator<(const candidate& other) const {
    return std::tie(weight, arc) < std::tie(other.weight, other.arc);
  }
};

class kruskal {
 public:
  explicit kruskal(const inputs::graph& of) : of_(of), trees_(of.vertices()) {
    made_.components = of.vertices();
  }

  spanning_forest made() {
    std::vector<candidate> all;
    all.reserve(of_.arcs() / 2);
    for (std::uint32_t u = 0; u < of_.vertices(); ++u)
      for (std::uint32_t arc = of_.first[u]; arc < of_.first[u + 1]; ++arc)
        if (u < of_.targets[arc]) all.push_back({of_.weights[arc], arc, u});
    grow(all);
    return std::move(made_);
  }

 private:
  void grow(std::span<candidate> with) {
    constexpr std::size_t few = 1 << 12;
    if (with.size() <= few) {
      std::ranges::sort(with, std::less<>());
      for (const candidate& each : with) take(each);
      return;
    }
    const auto heavy =
        std::partition(with.begin(), with.end(),
                       [pivot = middle_of(with)](const candidate& each) { return each < pivot; });
    grow({with.begin(), heavy});
    const auto kept = std::remove_if(heavy, with.end(), [&](const candidate& each) {
      return trees_.root(each.from) == trees_.root(of_.targets[each.arc]);
    });
    grow({heavy, kept});
  }

  // No two are alike, so there is a lighter one and a heavier one.
  static candidate middle_of(std::span<const candidate> of) {
    std::array three{of.front(), of[of.size() / 2], of.back()};
    std::ranges::sort(three, std::less<>());
    return three[1];
  }

  void take(const candidate& each) {
    if (!trees_.join(each.from, of_.targets[each.arc])) return;
    made_.weight += each.weight;
    --made_.components;
    made_.arcs.push_back(each.arc);
  }

  const inputs::graph& of_;
  trees trees_;
  spanning_forest made_;
};

}  // namespace

spanning_forest lightest_forest(const inputs::graph& of) {
  return kruskal(of).made();
}

forest_check::forest_check(const inputs::graph& of, std::uint32_t components)
    : of_(of), components_(components), sources_(of.arcs()) {
  for (std::uint32_t u = 0; u < of.vertices(); ++u)
    std::fill(sources_.begin() + of.first[u], sources_.begin() + of.first[u + 1], u);
}

std::optional<std::string> forest_check::fault_of(std::span<const std::uint32_t> arcs) const {
  trees joined(of_.vertices());
  for (const std::uint32_t arc : arcs) {
    if (arc >= of_.arcs()) return fmt::format("there is no arc {}", arc);
    if (!joined.join(sources_[arc], of_.targets[arc]))
      return fmt::format("the edge {} - {} closes a cycle", sources_[arc], of_.targets[arc]);
  }
  // Each tree lies within a component, so if there are as many, no edge is between two.
  if (of_.vertices() - arcs.size() == components_) return std::nullopt;
  for (std::uint32_t arc = 0; arc < of_.arcs(); ++arc)
    if (joined.root(sources_[arc]) != joined.root(of_.targets[arc]))
      return fmt::format("the edge {} - {} is between two trees", sources_[arc], of_.targets[arc]);
  return fmt::format("it has {} trees, and the graph {} components", of_.vertices() - arcs.size(),
                     components_);
}

}  // namespace finesync::graph_reference
