#include <inputs/parts.hpp>
#include <workloads/graph_reference/spanning_forest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>

namespace finesync::graph_reference {
namespace {

// Disjoint sets of vertices, joined by any number of threads at once (R. J. Anderson, H. Woll,
// "Wait-free Parallel Algorithms for the Union-Find Problem", 1991). A vertex that is no root never
// becomes one again, so its parent may be replaced by its grandparent.
class trees {
 public:
  explicit trees(std::uint32_t vertices) : above_(vertices) {
    std::iota(above_.begin(), above_.end(), 0u);
  }

  std::uint32_t root(std::uint32_t vertex) {
    while (true) {
      const std::uint32_t next = above(vertex).load(relaxed);
      if (next == vertex) return vertex;
      const std::uint32_t after_next = above(next).load(relaxed);
      above(vertex).store(after_next, relaxed);
      vertex = after_next;
    }
  }

  // False if both are in one tree already.
  bool join(std::uint32_t one, std::uint32_t other) {
    while (true) {
      one = root(one);
      other = root(other);
      if (one == other) return false;
      // The choice of the new root is pseudorandom, so paths stay short. It is the same each time,
      // so two threads never put two roots below each other.
      constexpr std::uint32_t odd = 0x9e3779b9;
      if (one * odd > other * odd) std::swap(one, other);
      std::uint32_t still_root = one;
      if (above(one).compare_exchange_strong(still_root, other, relaxed)) return true;
    }
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic_ref<std::uint32_t> above(std::uint32_t vertex) {
    return std::atomic_ref(above_[vertex]);
  }

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

using candidates = std::span<candidate>;

void sort_by_threads(candidates all, std::size_t threads) {
  if (threads < 2 || all.size() < 1 << 16) {
    std::ranges::sort(all, std::less<>());
    return;
  }
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  {
    std::jthread other(sort_by_threads, candidates(all.begin(), middle), threads / 2);
    sort_by_threads({middle, all.end()}, threads - threads / 2);
  }
  std::inplace_merge(all.begin(), middle, all.end());
}

class kruskal {
 public:
  explicit kruskal(const inputs::graph& of) : of_(of), trees_(of.vertices()) {
    made_.components = of.vertices();
  }

  spanning_forest made() {
    std::uint32_t least = 0;
    for (const std::uint32_t end : ends_of_classes()) {
      std::vector<candidate> wanted = between_trees(least, end);
      sort_by_threads(wanted, std::thread::hardware_concurrency());
      for (const candidate& each : wanted) take(each);
      least = end;
    }
    return std::move(made_);
  }

 private:
  // Weights that divide the edges into classes of about the same size; the last is above all
  // weights.
  std::vector<std::uint32_t> ends_of_classes() const {
    constexpr std::size_t classes = 8;
    constexpr std::size_t most = 1024;
    const std::size_t samples = std::min<std::size_t>(of_.arcs(), most);
    std::vector<std::uint32_t> sampled(samples);
    for (std::size_t i = 0; i < samples; ++i) sampled[i] = of_.weights[of_.arcs() * i / samples];
    std::ranges::sort(sampled);
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 1; i < classes && samples != 0; ++i)
      ends.push_back(sampled[samples * i / classes]);
    ends.push_back(inputs::max_weight + 1);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
  }

  // Edges with weights in [least, end) that are not within a tree, in the order of their arcs.
  std::vector<candidate> between_trees(std::uint32_t least, std::uint32_t end) {
    const inputs::parts of_vertices(of_.vertices());
    std::vector<std::vector<candidate>> found(of_vertices.count());
    of_vertices.for_each([&](std::size_t part, std::size_t from, std::size_t to) {
      for (auto u = static_cast<std::uint32_t>(from); u < to; ++u)
        for (std::uint32_t arc = of_.first[u]; arc < of_.first[u + 1]; ++arc) {
          const std::uint32_t weight = of_.weights[arc];
          if (u < of_.targets[arc] && least <= weight && weight < end &&
              trees_.root(u) != trees_.root(of_.targets[arc]))
            found[part].push_back({weight, arc, u});
        }
    });
    std::vector<std::size_t> places{0};
    for (const auto& each : found) places.push_back(places.back() + each.size());
    std::vector<candidate> all(places.back());
    of_vertices.for_each([&](std::size_t part, std::size_t, std::size_t) {
      std::ranges::copy(found[part], all.begin() + static_cast<std::ptrdiff_t>(places[part]));
    });
    return all;
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
  inputs::parts(of.vertices()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u)
      std::fill(sources_.begin() + of.first[u], sources_.begin() + of.first[u + 1],
                static_cast<std::uint32_t>(u));
  });
}

std::optional<std::string> forest_check::fault_of(std::span<const std::uint32_t> arcs) const {
  trees joined(of_.vertices());
  const auto is_right = [&](trees& of, std::uint32_t arc) {
    return arc < of_.arcs() && of.join(sources_[arc], of_.targets[arc]);
  };
  std::atomic<bool> all_are_right = true;
  std::atomic<std::uint32_t> number = 0;
  inputs::parts(arcs.size()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    std::uint32_t of_part = 0;
    for (const std::uint32_t arc : arcs.subspan(begin, end - begin)) {
      if (arc == no_arc) continue;
      ++of_part;
      if (!is_right(joined, arc)) all_are_right.store(false, std::memory_order_relaxed);
    }
    number.fetch_add(of_part, std::memory_order_relaxed);
  });
  if (!all_are_right) {
    trees again(of_.vertices());
    const std::uint32_t first = *std::ranges::find_if(
        arcs, [&](std::uint32_t arc) { return arc != no_arc && !is_right(again, arc); });
    if (first >= of_.arcs()) return fmt::format("there is no arc {}", first);
    return fmt::format("the edge {} - {} closes a cycle", sources_[first], of_.targets[first]);
  }
  // Each tree lies within a component. If their numbers agree, no edge is between two trees.
  const std::uint32_t trees = of_.vertices() - number;
  if (trees == components_) return std::nullopt;
  for (std::uint32_t arc = 0; arc < of_.arcs(); ++arc)
    if (joined.root(sources_[arc]) != joined.root(of_.targets[arc]))
      return fmt::format("the edge {} - {} is between two trees", sources_[arc], of_.targets[arc]);
  return fmt::format("it has {} trees, and the graph {} components", trees, components_);
}

std::uint64_t forest_check::weight_of(std::span<const std::uint32_t> arcs) const {
  std::atomic<std::uint64_t> weight = 0;
  inputs::parts(arcs.size()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    std::uint64_t of_part = 0;
    for (const std::uint32_t arc : arcs.subspan(begin, end - begin))
      if (arc != no_arc) of_part += of_.weights[arc];
    weight.fetch_add(of_part, std::memory_order_relaxed);
  });
  return weight;
}

}  // namespace finesync::graph_reference
