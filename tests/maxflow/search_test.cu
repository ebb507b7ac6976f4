// The search alone: exact distances on any schedule, whatever spills; and searches that are wrong.
#include "small.hpp"

#include <finesync/barriers/adaptive_barrier.cuh>
#include <finesync/device/buffer.cuh>
#include <finesync/device/launch.cuh>
#include <finesync/device/shared_storage.cuh>
#include <simt/settings.hpp>
#include <workloads/maxflow/network.hpp>
#include <workloads/maxflow/relabel.cuh>
#include <workloads/maxflow/work_queue.cuh>

#include <gtest/gtest.h>
#include <tests/locks/exploration.hpp>

#include <algorithm>
#include <vector>

namespace finesync::maxflow {
namespace {

/// Excess that a search has to leave alone.
__host__ __device__ std::uint64_t excess_at(std::uint32_t node) {
  return node % 3 == 0 ? 0 : std::uint64_t{node} << 20;
}

template <class Search, unsigned Room, class Barrier>
__global__ void search_once(network_ref net, pool_ref pool, Barrier barrier,
                            cell<std::uint64_t>* words, watchdog_ref watchdog) {
  using queue_type = work_queue<Room>;
  queue_type queue(shared_storage<typename queue_type::memory>(), pool);
  auto meeting = barrier.join(watchdog);
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
    net.set(u, node_word(u % 5, excess_at(u)));
  if (!search_from<Search>(net.sink(), net, queue, meeting)) return;
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
    words[u] = net.node(u);
}

template <class Search = sound_search, unsigned Room = 8>
std::vector<std::uint64_t> words_after_search(const setup& how, std::uint32_t room_of_pool) {
  const auto net = network_of(how.what);
  net->reset();
  const launch_shape shape{.blocks = 4,
                           .threads_per_block = 32,
                           .shared_bytes = sizeof(typename work_queue<Room>::memory)};
  buffer<std::uint32_t> pool(2 * std::size_t{room_of_pool});
  buffer<std::uint64_t> totals(3);
  buffer<std::uint64_t> words(net->input().arcs.vertices());
  totals.fill_bytes(0);
  words.fill_bytes(0);
  const adaptive_barrier barrier(shape);
  const watchdog timeout;
  launch_cooperative(search_once<Search, Room, adaptive_barrier::handle>, shape, net->ref(),
                     pool_ref{pool.cells(), room_of_pool, totals.cells()}, barrier.ref(),
                     words.cells(), timeout.ref());
  return words.to_host();
}

/// By rounds over all arcs.
std::vector<std::uint64_t> right_words(const setup& how) {
  const inputs::flow_network& input = network_of(how.what)->input();
  const std::uint32_t nodes = input.arcs.vertices();
  std::vector<std::uint32_t> heights(nodes, nodes);
  heights[input.sink] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t u = 0; u < nodes; ++u) {
      for (std::uint32_t a = input.arcs.first[u]; a < input.arcs.first[u + 1]; ++a) {
        const std::uint32_t height = heights[input.arcs.targets[a]] + 1;
        if (input.arcs.weights[a] == 0 || height >= heights[u]) continue;
        heights[u] = height;
        changed = true;
      }
    }
  }
  std::vector<std::uint64_t> words;
  for (std::uint32_t u = 0; u < nodes; ++u) words.push_back(node_word(heights[u], excess_at(u)));
  return words;
}

/// Two bands of paths of different lengths, so that a block that is quick comes by the long way.
setup two_ways(unsigned length) {
  std::vector<std::string> arcs;
  const unsigned nodes = 3 * length + 3;
  for (unsigned u = 1; u < nodes; ++u) {
    arcs.push_back(arc(u, u + 1, 3));
    if (u + 3 <= nodes) arcs.push_back(arc(u, u + 3, 2));
  }
  return network_of_arcs("two_ways_of_" + std::to_string(length), nodes, arcs);
}

std::vector<setup> searched() {
  std::vector<setup> all = odd_networks();
  for (unsigned seed = 200; seed < 206; ++seed) all.push_back(random_network(seed));
  all.push_back(mesh(4, 9));
  all.push_back(two_ways(6));
  all.push_back(two_ways(40));
  return all;
}

template <class Search = sound_search, unsigned Room = 8>
unsigned wrong_seeds(const setup& how, simt::memory_kind memory, unsigned seeds,
                     std::uint32_t room_of_pool = 1000) {
  const std::vector<std::uint64_t> right = right_words(how);
  return test::failing_seeds(memory, test::seed_budget(seeds), [&] {
    return words_after_search<Search, Room>(how, room_of_pool) == right;
  });
}

TEST(search, finds_exact_distances_on_any_schedule) {
  for (const setup& how : searched())
    for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak})
      EXPECT_EQ(wrong_seeds(how, memory, 20), 0u) << how.what.input;
}

TEST(search, finds_them_when_queues_and_pool_are_too_small) {
  for (const setup& how : searched())
    for (const std::uint32_t room_of_pool : {1u, 3u})
      EXPECT_EQ((wrong_seeds<sound_search, 1>(how, simt::memory_kind::weak, 10, room_of_pool)), 0u)
          << how.what.input;
}

/// Looks and stores, so that a height that is still less is lost.
struct stores : sound_search {
  __device__ static bool lowers(const network_ref& net, std::uint32_t node, std::uint64_t seen,
                                std::uint32_t height) {
    net.set(node, node_word(height, excess_of(seen)));
    return true;
  }
};
/// Goes on from a node only when it is found, not when it comes nearer.
struct goes_on_once : sound_search {
  __device__ static bool lowers(const network_ref& net, std::uint32_t node, std::uint64_t seen,
                                std::uint32_t height) {
    return height_of(net.lower(node, seen, height)) == net.nodes();
  }
};
/// Never lowers a node that has been found, as in a search by levels.
struct lowers_once : sound_search {
  __device__ static bool lowers(const network_ref& net, std::uint32_t node, std::uint64_t seen,
                                std::uint32_t height) {
    return height_of(seen) == net.nodes() && sound_search::lowers(net, node, seen, height);
  }
};

template <class Search>
bool is_rejected() {
  return wrong_seeds<Search>(two_ways(40), simt::memory_kind::strong, 40) != 0;
}

TEST(broken_search, is_rejected) {
  EXPECT_TRUE(is_rejected<stores>());
  EXPECT_TRUE(is_rejected<goes_on_once>());
  EXPECT_TRUE(is_rejected<lowers_once>());
}

}  // namespace
}  // namespace finesync::maxflow
