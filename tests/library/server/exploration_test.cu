// Every request is served once, as sent, and alone with its key: thousands of schedules of each
// message path, on widely varied scenarios.
#include "all_paths.hpp"
#include "delivery.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace finesync::test::exploration_test {
namespace {

template <class Path>
server_scenario draw(std::uint32_t number) {
  std::uint32_t drawn = 0;
  const auto below = [&](std::uint32_t bound) {
    return inputs::bounded(inputs::random32(number, 100, drawn++), bound);
  };
  const auto one_of = [&](std::initializer_list<std::uint32_t> values) {
    return *(values.begin() + below(static_cast<std::uint32_t>(values.size())));
  };
  // Most are small, so that there can be many.
  const bool large = below(16) == 0;
  server_scenario e = {};
  e.config.ring = one_of({32, 32, 32, 64, 64, 256});
  e.config.local_buffer = one_of({32, 64});
  e.config.locks = one_of({1, 4, 64});
  e.config.servers = 1 + below(large ? 8 : 3);
  e.config.clients = 1 + below(large ? 4 : 2);
  const std::uint32_t warps = Path::many_poll ? one_of({1, 2}) : one_of({1, 2, 2, 2, 3, 4});
  e.threads_per_block = 32 * std::max(Path::min_warps, warps);
  e.messages.seed = number;
  e.messages.senders = static_cast<sender_set>(one_of({0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 6}));
  e.messages.most = 1 + below(e.messages.senders == sender_set::one_thread ? 70
                              : Path::many_poll                            ? 3
                                                                           : 5);
  e.messages.threads_per_block = e.threads_per_block;
  e.messages.keys = one_of({1, 2, 7, 40, 1000});
  e.messages.batch = one_of({1, 3});
  e.messages.key_step = below(4) == 0 ? e.config.servers : 1;
  // A server numbers its keys in 31 bits.
  const std::uint32_t highest = e.config.servers == 1 ? 0x7fffffff : 0xffffffff;
  const std::uint32_t last_first = highest - (e.messages.keys - 1) * e.messages.key_step;
  e.messages.first_key = one_of({0, below(last_first), last_first});
  return e;
}

template <class Path, unsigned Words>
std::string run_some_way(const server_scenario& e, unsigned way) {
  using channel = typename Path::template channel<test_message<Words>>;
  using single = run_each<block_lock>;
  using combined = std::conditional_t<channel::keeps_requests, combine_by_key<block_lock>, single>;
  switch (way) {
    case 0:
      return run<channel, single, registry<Words, false>>(e);
    case 1:
      return run<channel, combined, registry<Words, false>>(e);
    case 2:
      return run<channel, combined, registry<Words, true>>(e);
    case 3:
      return run<channel, single, registry_with_own_heads<Words, false>>(e);
    default:
      return run<channel, combined, registry_with_own_heads<Words, true>>(e);
  }
}

template <class Path>
std::string run_some_size(const server_scenario& e, std::uint32_t number) {
  const unsigned way = number / 2 % 5;
  switch (number / 10 % 5) {
    case 0:
      return run_some_way<Path, 0>(e, way);
    case 1:
      return run_some_way<Path, 1>(e, way);
    case 2:
      return run_some_way<Path, 2>(e, way);
    case 3:
      return run_some_way<Path, 3>(e, way);
    default:
      return run_some_way<Path, 6>(e, way);
  }
}

template <class Path>
std::string explore_path(simt::memory_kind memory, unsigned seeds) {
  return explore(memory, seeds, draw<Path>, run_some_size<Path>);
}

template <class Path>
class exploration : public ::testing::Test {};
TYPED_TEST_SUITE(exploration, all_paths, path_names);

const unsigned seeds = seed_budget(100);  // of each memory mode

TYPED_TEST(exploration, serves_every_request_once) {
  EXPECT_EQ(explore_path<TypeParam>(simt::memory_kind::strong, seeds), "");
}

TYPED_TEST(exploration, serves_every_request_once_in_weak_memory) {
  EXPECT_EQ(explore_path<TypeParam>(simt::memory_kind::weak, seeds), "");
}

// More servers than a warp has lanes.
TYPED_TEST(exploration, serves_every_request_once_among_many_servers) {
  const auto scenario_of = [](std::uint32_t number) {
    server_scenario e = draw<TypeParam>(number);
    e.config.servers = 40;
    e.config.clients = 1;
    e.config.ring = 32;
    e.threads_per_block = e.messages.threads_per_block = 64;
    e.messages.senders = sender_set::all;
    e.messages.most = 2;
    e.messages.keys = 1000;
    e.messages.key_step = 1;
    e.messages.first_key = number;
    return e;
  };
  EXPECT_EQ(
      explore(simt::memory_kind::weak, seed_budget(10), scenario_of, run_some_size<TypeParam>), "");
}

}  // namespace
}  // namespace finesync::test::exploration_test
