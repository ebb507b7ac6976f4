// Every request is served once, as sent, and alone with its key: thousands of schedules of each
// message path, on widely varied scenarios. Keys outside a path's range end the kernel; all others
// arrive. The scope of a path applies to every access to its rings.
#include "all_paths.hpp"
#include "delivery.hpp"

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
      return run<channel, single, message_service<Words, false>>(e);
    case 1:
      return run<channel, combined, message_service<Words, false>>(e);
    case 2:
      return run<channel, combined, message_service<Words, true>>(e);
    case 3:
      return run<channel, single, message_service_with_own_heads<Words, false>>(e);
    default:
      return run<channel, combined, message_service_with_own_heads<Words, true>>(e);
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
  EXPECT_EQ(explore_path<TypeParam>(strong, seeds), "");
}

TYPED_TEST(exploration, serves_every_request_once_in_weak_memory) {
  EXPECT_EQ(explore_path<TypeParam>(weak, seeds), "");
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
  EXPECT_EQ(explore(weak, seed_budget(10), scenario_of, run_some_size<TypeParam>), "");
}

server_scenario with_last_key(std::uint32_t key, unsigned servers) {
  return server_scenario::of(
      {.servers = servers, .clients = 1, .ring = 32, .locks = 4, .local_buffer = 32}, 64,
      {.most = 2, .keys = 2, .first_key = key - 1});
}

template <class Path>
std::string complaint_about(std::uint32_t last_key, unsigned servers) {
  using channel = typename Path::template channel<test_message<1>>;
  try {
    return run<channel, run_each<block_lock>, message_service<1, false>>(
        with_last_key(last_key, servers));
  } catch (const std::logic_error& problem) {
    return problem.what();
  }
}

template <class Path>
class contract : public ::testing::Test {};
TYPED_TEST_SUITE(contract, all_paths, path_names);

TYPED_TEST(contract, of_keys_is_kept_or_ends_the_kernel) {
  constexpr bool is_fast = std::is_same_v<TypeParam, fast_path>;
  const std::string rule = is_fast ? "fast_channel: with one server, keys are below 2^31" : "";
  EXPECT_EQ(complaint_about<TypeParam>(0x7fffffff, 1), "");
  EXPECT_EQ(complaint_about<TypeParam>(0x80000000, 1), rule);
  EXPECT_EQ(complaint_about<TypeParam>(0xffffffff, 1), rule);
  EXPECT_EQ(complaint_about<TypeParam>(0xffffffff, 2), "");
}

template <scope Scope>
using fast = fast_channel<test_message<1>, wire_slot, message_order::relaxed, Scope>;
template <scope Scope>
using ordered = ordered_fast_channel<test_message<1>, Scope>;
template <scope Scope>
using basic = basic_channel<test_message<1>, Scope>;
template <scope Scope>
using paper = paper_channel<test_message<1>, Scope>;

template <class Channel>
std::string complaint_of_a_run() {
  constexpr auto e = server_scenario::of(
      {.servers = 1, .clients = 2, .ring = 32, .locks = 4, .local_buffer = 32},
      32 * Channel::min_warps, {.senders = sender_set::uneven, .most = 3, .keys = 3});
  return run<Channel, run_each<block_lock>, message_service<1, false>>(e);
}

/// Without loads, which also read the watchdog.
double operations_at_device_scope() {
  double sum = 0;
  for (const auto& [name, count] : last_launch_counts())
    if (name.find("_device") != std::string::npos && !name.starts_with("load")) sum += count;
  return sum;
}

template <template <scope> class Channel>
void expect_its_scope_everywhere() {
  EXPECT_EQ(first_complaint(strong, 10, complaint_of_a_run<Channel<scope::system>>), "");
  EXPECT_EQ(first_complaint(weak, 10, complaint_of_a_run<Channel<scope::system>>), "");
  EXPECT_NE(first_complaint(strong, 10, complaint_of_a_run<Channel<scope::block>>), "");
  EXPECT_EQ(complaint_of_a_run<Channel<scope::system>>(), "");
  EXPECT_EQ(operations_at_device_scope(), 0);
}

TEST(scope_of_a_path, is_that_of_all_its_accesses) {
  expect_its_scope_everywhere<fast>();
  expect_its_scope_everywhere<ordered>();
  expect_its_scope_everywhere<basic>();
  expect_its_scope_everywhere<paper>();
}

}  // namespace
}  // namespace finesync::test::exploration_test
