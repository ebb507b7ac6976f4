// The search by itself: exact distances up to the farthest excess, on any schedule, even when
// queues spill; and broken searches.
#include "small.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <workloads/maxflow/network/network.hpp>
#include <workloads/maxflow/push_relabel/relabel.cuh>
#include <workloads/maxflow/push_relabel/work_queue.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::maxflow {
namespace {

/// The nodes with excess, which determine how far a search must go.
struct excess_of_test {
  std::uint32_t first;
  std::uint32_t stride;

  __host__ __device__ std::uint64_t at(std::uint32_t node) const {
    return node < first || (node - first) % stride != 0 ? 0 : std::uint64_t{node + 1} << 20;
  }
};

/// The excess for each search, the number of searches, and the levels of one before them.
struct task {
  excess_of_test excess;
  unsigned searches;
  std::uint32_t last_levels = 0;
};

template <class Search, unsigned Room, class Barrier>
__global__ void search_for(task what, network_ref net, pool_ref pool, Barrier barrier,
                           cell<std::uint64_t>* words, cell<std::uint32_t>* told,
                           watchdog_ref watchdog) {
  using queue_type = work_queue<Room>;
  queue_type queue(shared_storage<typename queue_type::memory>(), pool);
  auto participant = barrier.join(watchdog);
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
    net.set(u, node_word(u % 5, what.excess.at(u)));
  searched found{.levels = what.last_levels};
  for (unsigned i = 0; i < what.searches; ++i) {
    found = search_from<Search>(net.sink(), found.levels, net, queue, participant);
    if (!found.in_time) return;
  }
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
    words[u] = net.node(u);
  if (thread_of_grid() != 0) return;
  told[0] = found.wanted;
  told[1] = found.levels;
}

/// The state after the last search.
struct found_nodes {
  std::vector<std::uint64_t> words;
  std::uint32_t wanted;
  std::uint32_t levels;
};

template <class Search = correct_search, unsigned Room = 8>
found_nodes found_by(const run_config& config, const task& what, std::uint32_t room_of_pool) {
  const auto net = network_of(config.problem);
  net->reset();
  const launch_shape shape{.blocks = 4,
                           .threads_per_block = 32,
                           .shared_bytes = sizeof(typename work_queue<Room>::memory)};
  buffer<std::uint32_t> pool(2 * std::size_t{room_of_pool});
  auto totals = buffer<std::uint64_t>::zeroed(3);
  auto counts = buffer<std::uint64_t>::zeroed(3);
  auto words = buffer<std::uint64_t>::zeroed(net->input().arcs.vertices());
  auto told = buffer<std::uint32_t>::zeroed(2);
  const autotuned_barrier barrier(shape);
  const watchdog timeout;
  launch_cooperative(
      search_for<Search, Room, autotuned_barrier::ref_type>, shape, what, net->ref(),
      pool_ref{pool.device_data(), room_of_pool, totals.device_data(), counts.device_data()},
      barrier.ref(), words.device_data(), told.device_data(), timeout.ref());
  const auto numbers = told.to_host();
  return {words.to_host(), numbers[0], numbers[1]};
}

/// Computed by rounds over all arcs. No way leads through the source.
std::vector<std::uint32_t> distances(const inputs::flow_network& input) {
  const std::uint32_t nodes = input.arcs.vertices();
  std::vector<std::uint32_t> heights(nodes, nodes);
  heights[input.sink] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t u = 0; u < nodes; ++u) {
      if (u == input.source) continue;
      for (std::uint32_t a = input.arcs.first[u]; a < input.arcs.first[u + 1]; ++a) {
        const std::uint32_t height = heights[input.arcs.targets[a]] + 1;
        if (input.arcs.weights[a] == 0 || height >= heights[u]) continue;
        heights[u] = height;
        changed = true;
      }
    }
  }
  return heights;
}

/// Whether all nodes no farther than one with excess have their distances, and the others theirs or
/// none. Also whether the nodes without a path are cut off once one of them has excess.
bool is_right(const run_config& config, const task& what, const found_nodes& found) {
  const inputs::flow_network& input = network_of(config.problem)->input();
  const std::vector<std::uint32_t> right = distances(input);
  const auto nodes = static_cast<std::uint32_t>(right.size());
  std::uint32_t near = 0;
  std::uint32_t astray = 0;
  for (std::uint32_t u = 0; u < nodes; ++u) {
    if (what.excess.at(u) == 0 || u == input.source || u == input.sink) continue;
    if (right[u] > found.levels && right[u] < nodes) return false;
    ++(right[u] < nodes ? near : astray);
  }
  if (found.wanted != (what.searches == 1 ? near + astray : near)) return false;
  for (std::uint32_t u = 0; u < nodes; ++u) {
    const std::uint32_t height = height_of(found.words[u]);
    if (excess_of(found.words[u]) != what.excess.at(u)) return false;
    if (height == right[u] && height < nodes) continue;
    const bool may_be_open = right[u] < nodes ? right[u] > found.levels : astray == 0;
    if (height < nodes || (height == nodes && !may_be_open)) return false;
    if (height > nodes && right[u] < nodes) return false;
  }
  return true;
}

/// Two bands of paths of different lengths, so that a fast block arrives by the longer path.
run_config two_ways(unsigned length) {
  std::vector<std::string> arcs;
  const unsigned nodes = 3 * length + 3;
  for (unsigned u = 1; u < nodes; ++u) {
    arcs.push_back(arc(u, u + 1, 3));
    if (u + 3 <= nodes) arcs.push_back(arc(u, u + 3, 2));
  }
  return network_of_arcs("two_ways_of_" + std::to_string(length), nodes, arcs);
}

std::vector<run_config> networks() {
  std::vector<run_config> all = odd_networks();
  for (unsigned seed = 200; seed < 206; ++seed) all.push_back(random_network(seed));
  all.push_back(mesh(4, 9));
  all.push_back(two_ways(6));
  all.push_back(two_ways(40));
  return all;
}

/// Nearly all nodes have excess; some; a single one, near or far; a few, along the path.
const std::vector<task> tasks{
    {{1, 1}, 1}, {{0, 3}, 2}, {{2, 1000}, 1}, {{5, 1000}, 2}, {{2, 12}, 1}};

template <class Search = correct_search, unsigned Room = 8>
unsigned wrong_seeds(const run_config& config, simt::memory_kind memory, unsigned seeds,
                     std::uint32_t room_of_pool = 1000) {
  unsigned wrong = 0;
  for (const task& what : tasks)
    wrong += test::failing_seeds(memory, test::seed_budget(seeds), [&] {
      return is_right(config, what, found_by<Search, Room>(config, what, room_of_pool));
    });
  return wrong;
}

TEST(search, finds_exact_distances_on_any_schedule) {
  for (unsigned number = 0; const run_config& config : networks())
    for (const auto memory : {test::strong, test::weak}) {
      if (!test::is_due(++number, 3)) continue;
      EXPECT_EQ(wrong_seeds(config, memory, 8), 0u) << config.problem.input;
    }
}

TEST(search, finds_them_when_queues_and_pool_are_too_small) {
  for (unsigned number = 0; const run_config& config : networks())
    for (const std::uint32_t room_of_pool : {1u, 3u}) {
      if (!test::is_due(++number, 3)) continue;
      EXPECT_EQ((wrong_seeds<correct_search, 1>(config, test::weak, 4, room_of_pool)), 0u)
          << config.problem.input;
    }
}

TEST(search, goes_no_farther_than_there_is_excess_unless_that_is_just_past_the_last_search) {
  const run_config path = long_path(200);
  EXPECT_EQ(found_by(path, {{190, 1000}, 1}, 1000).levels, 17u);
  EXPECT_EQ(found_by(path, {{190, 1000}, 1, 17}, 1000).levels, 17u);
  EXPECT_EQ(found_by(path, {{190, 1000}, 1, 1}, 1000).levels, 33u);
  EXPECT_EQ(found_by(path, {{300, 1000}, 1}, 1000).levels, 0u);
}

/// Reads and stores, so a smaller height is lost.
struct stores : correct_search {
  __device__ static std::uint64_t lower(const network_ref& net, std::uint32_t node,
                                        std::uint64_t seen, std::uint32_t height) {
    net.set(node, node_word(height, excess_of(seen)));
    return seen;
  }
};
/// Continues from a node only when it is first found, not when it comes nearer.
struct goes_on_once : correct_search {
  __device__ static std::uint64_t lower(const network_ref& net, std::uint32_t node,
                                        std::uint64_t seen, std::uint32_t height) {
    const std::uint64_t before = net.lower(node, seen, height);
    return height_of(before) >= net.nodes() ? before : 0;
  }
};
/// Never lowers a node that has been found, as in a search by levels.
struct lowers_once : correct_search {
  __device__ static std::uint64_t lower(const network_ref& net, std::uint32_t node,
                                        std::uint64_t seen, std::uint32_t height) {
    return height_of(seen) >= net.nodes() ? correct_search::lower(net, node, seen, height) : 0;
  }
};

template <class Search>
bool is_rejected() {
  return wrong_seeds<Search>(two_ways(40), test::strong, 40) != 0;
}

TEST(broken_search, is_rejected) {
  EXPECT_TRUE(is_rejected<stores>());
  EXPECT_TRUE(is_rejected<goes_on_once>());
  EXPECT_TRUE(is_rejected<lowers_once>());
}

}  // namespace
}  // namespace finesync::maxflow
