// Sections over data of two servers: each runs once, alone with both, over many schedules. Also the
// protocol with likely mistakes.
#include <finesync/host/error.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/ttas_lock.cuh>
#include <finesync/server/lending/nested_server_pool.cuh>
#include <inputs/random.cuh>

#include <gtest/gtest.h>
#include <tests/locks/exploration.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace finesync::test::nested_test {
namespace {

constexpr std::uint32_t keys = 7;
constexpr std::uint32_t sections_each = 3;

/// A datum counts the sections with it as their first in its lower half, the others above.
struct ledger {
  using argument = std::uint32_t;  // the number of the section
  using datum = std::uint32_t;

  cell<std::uint32_t>* data;
  cell<std::uint32_t>* runs;

  __device__ cell<std::uint32_t>& home(std::uint32_t key) const { return data[key]; }
  __device__ void operator()(std::uint32_t& first, std::uint32_t& second,
                             std::uint32_t number) const {
    first += 1;
    second += 1u << 16;
    atomic_ref<std::uint32_t, scope::device>(runs[number]).fetch_add(1, memory_order::relaxed);
  }
};

struct bookkeepers {
  __device__ static std::uint32_t first_of(std::uint32_t number) {
    return inputs::random32(11, 0, number) % keys;
  }
  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    for (std::uint32_t i = 0; i < sections_each; ++i) {
      const std::uint32_t number = thread * sections_each + i;
      const std::uint32_t first = first_of(number);
      const std::uint32_t second =
          (first + 1 + inputs::random32(12, 0, number) % (keys - 1)) % keys;
      if (!out.send(first, second, number)) return false;
    }
    return true;
  }
};

template <class Protocol>
std::string complaint_of_a_run() {
  const nested_config config{.servers = 3,
                             .clients = 1,
                             .keys = keys,
                             .offload_warps = 1,
                             .request_warps = 1,
                             .ring = 32,
                             .local_buffer = 32};
  const std::uint32_t sections = config.clients * config.threads_per_block() * sections_each;
  auto data = buffer<std::uint32_t>::zeroed(keys);
  auto runs = buffer<std::uint32_t>::zeroed(sections);
  nested_server_pool<ledger, Protocol> pool(config);
  const watchdog timeout(20'000'000);
  try {
    pool.launch(ledger{data.device_data(), runs.device_data()}, bookkeepers{}, timeout.ref());
  } catch (const hang_error& problem) {
    return problem.what();
  } catch (const race_error& problem) {
    return problem.what();
  }
  if (timeout.fired()) return "the watchdog fired";
  const auto times = runs.to_host();
  if (std::any_of(times.begin(), times.end(), [](std::uint32_t n) { return n != 1; }))
    return "a section ran never, or twice";
  std::uint32_t firsts = 0;
  std::uint32_t seconds = 0;
  for (const std::uint32_t datum : data.to_host()) {
    firsts += datum & 0xffff;
    seconds += datum >> 16;
  }
  if (firsts != sections || seconds != sections) return "a section's work was lost";
  return "";
}

constexpr auto strong = simt::memory_kind::strong;
constexpr auto weak = simt::memory_kind::weak;

template <data_placement Placement>
using right = nested_protocol<std::uint32_t, Placement>;

template <class Protocol>
class nested_servers : public ::testing::Test {};
using protocols =
    ::testing::Types<right<data_placement::messages>, right<data_placement::global_memory>>;
TYPED_TEST_SUITE(nested_servers, protocols);

TYPED_TEST(nested_servers, run_every_section_once_and_alone) {
  EXPECT_EQ(first_complaint(strong, seed_budget(60), complaint_of_a_run<TypeParam>), "");
  EXPECT_EQ(first_complaint(weak, seed_budget(60), complaint_of_a_run<TypeParam>), "");
}

TEST(locks_of_nested_servers, may_be_any_of_one_word) {
  using protocol =
      nested_protocol<std::uint32_t, data_placement::messages, ttas_lock<scope::block, no_backoff>>;
  EXPECT_EQ(first_complaint(weak, seed_budget(20), complaint_of_a_run<protocol>), "");
}

/// Releases a lock when it lends it.
template <data_placement Placement>
struct lets_go_early : right<Placement> {
  using lock = typename right<Placement>::lock;
  __device__ static void lend(lock held) { right<Placement>::leave(held); }
  __device__ static void take_back(lock) {}
};

/// Sends the unlock message to a neighbour of the thread that lent the lock.
struct unlocks_another : right<data_placement::messages> {
  __device__ static reply_address unlock_address(const reply& lent) {
    return {lent.unlock.word ^ 2};
  }
};

/// Requests locks, and continues without them.
struct takes_nothing : right<data_placement::messages> {
  __device__ static bool try_take(lock) { return true; }
  __device__ static void leave(lock) {}
  __device__ static void take_back(lock) {}
};

/// Replies and unlock messages without fences, although the data are elsewhere.
struct orders_nothing : right<data_placement::global_memory> {
  using lock_reply_slots = reply_slots<reply, message_order::relaxed>;
  using unlock_slots = reply_slots<unlock, message_order::relaxed>;
};

TEST(broken_nested_servers, that_let_go_of_a_lock_early_are_rejected) {
  EXPECT_NE(first_complaint(weak, 40, complaint_of_a_run<lets_go_early<data_placement::messages>>),
            "");
  EXPECT_NE(
      first_complaint(weak, 40, complaint_of_a_run<lets_go_early<data_placement::global_memory>>),
      "");
}

TEST(broken_nested_servers, that_unlock_what_another_has_lent_are_rejected) {
  EXPECT_NE(first_complaint(strong, 1, complaint_of_a_run<unlocks_another>, races::pass), "");
}

TEST(broken_nested_servers, without_locks_are_rejected) {
  EXPECT_NE(first_complaint(weak, 40, complaint_of_a_run<takes_nothing>), "");
}

TEST(broken_nested_servers, whose_messages_order_nothing_are_rejected) {
  EXPECT_NE(first_complaint(strong, 40, complaint_of_a_run<orders_nothing>), "");
  EXPECT_NE(first_complaint(weak, 200, complaint_of_a_run<orders_nothing>), "");
}

}  // namespace
}  // namespace finesync::test::nested_test
