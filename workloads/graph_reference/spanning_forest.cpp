#include <workloads/graph_reference/spanning_forest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>

namespace finesync::graph_reference {
namespace {

// Sets of vertices that are joined, by any number of threads at once (R. J. Anderson, H. Woll,
// "Wait-free Parallel Algorithms for the Union-Find Problem", 1991). A vertex that is no root never
// becomes one again, so whatever stands above it may be replaced by what stands above that.
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

  // False where both are of one tree already.
  bool join(std::uint32_t one, std::uint32_t other) {
    while (true) {
      one = root(one);
      other = root(other);
      if (one == other) return false;
      // Which goes below the other is as good as random, so paths stay short; and the same each
      // time, so two threads never put two roots below each other.
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

// Whether all of some values pass, by as many threads as are worth it.
template <class Test>
bool all_of_many(std::span<const std::uint32_t> values, Test test) {
  constexpr std::size_t worth_a_thread = 1 << 16;
  const std::size_t threads = std::clamp<std::size_t>(
      values.size() / worth_a_thread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<bool> all = true;
  const auto run = [&](std::size_t thread) {
    const std::size_t begin = values.size() * thread / threads;
    const std::size_t end = values.size() * (thread + 1) / threads;
    if (!std::ranges::all_of(values.subspan(begin, end - begin), test))
      all.store(false, std::memory_order_relaxed);
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    run(0);
  }
  return all.load(std::memory_order_relaxed);
}

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
  const auto is_right = [&](trees& of, std::uint32_t arc) {
    return arc < of_.arcs() && of.join(sources_[arc], of_.targets[arc]);
  };
  if (!all_of_many(arcs, [&](std::uint32_t arc) { return is_right(joined, arc); })) {
    trees again(of_.vertices());
    const std::uint32_t first =
        *std::ranges::find_if(arcs, [&](std::uint32_t arc) { return !is_right(again, arc); });
    if (first >= of_.arcs()) return fmt::format("there is no arc {}", first);
    return fmt::format("the edge {} - {} closes a cycle", sources_[first], of_.targets[first]);
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
