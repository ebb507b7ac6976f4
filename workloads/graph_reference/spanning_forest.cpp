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

std::uint32_t source_of(const inputs::graph& of, std::uint32_t arc) {
  const auto after = std::ranges::upper_bound(of.first, arc);
  return static_cast<std::uint32_t>(after - of.first.begin() - 1);
}

}  // namespace

spanning_forest lightest_forest(const inputs::graph& of) {
  return kruskal(of).made();
}

std::optional<std::string> fault_of_forest(const inputs::graph& of,
                                           std::span<const std::uint32_t> arcs) {
  trees joined(of.vertices());
  for (const std::uint32_t arc : arcs) {
    if (arc >= of.arcs()) return fmt::format("there is no arc {}", arc);
    const std::uint32_t from = source_of(of, arc);
    if (!joined.join(from, of.targets[arc]))
      return fmt::format("the edge {} - {} closes a cycle", from, of.targets[arc]);
  }
  for (std::uint32_t u = 0; u < of.vertices(); ++u)
    for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc)
      if (joined.root(u) != joined.root(of.targets[arc]))
        return fmt::format("the edge {} - {} is between two trees", u, of.targets[arc]);
  return std::nullopt;
}

}  // namespace finesync::graph_reference
