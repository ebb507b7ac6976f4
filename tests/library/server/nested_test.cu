// Sections over data of two servers: each runs once, alone with both, over many schedules. Also the
// protocol with likely mistakes.
#include <finesync/locks/ttas_lock.cuh>
#include <finesync/server/lending/nested_server_pool.cuh>

#include <tests/library/harness/harness.hpp>
#include <tests/library/server/pair_counts.hpp>

namespace finesync::test::nested_test {
namespace {

template <class Protocol>
std::string complaint_of() {
  constexpr std::uint32_t keys = 7;
  const nested_config config{.servers = 3,
                             .clients = 1,
                             .keys = keys,
                             .offload_warps = 1,
                             .request_warps = 1,
                             .ring = 32,
                             .local_buffer = 32};
  nested_server_pool<pair_counts, Protocol> pool(config);
  return complaint_of_a_run(pool, config.clients * config.threads_per_block(), {keys, 3});
}

template <data_placement Placement>
using right = nested_protocol<std::uint32_t, Placement>;

template <class Protocol>
class nested_servers : public ::testing::Test {};
using protocols =
    ::testing::Types<right<data_placement::messages>, right<data_placement::global_memory>>;
TYPED_TEST_SUITE(nested_servers, protocols);

TYPED_TEST(nested_servers, run_every_section_once_and_alone) {
  EXPECT_EQ(first_complaint(strong, seed_budget(60), complaint_of<TypeParam>), "");
  EXPECT_EQ(first_complaint(weak, seed_budget(60), complaint_of<TypeParam>), "");
}

TEST(locks_of_nested_servers, may_be_any_of_one_word) {
  using protocol =
      nested_protocol<std::uint32_t, data_placement::messages, ttas_lock<scope::block, no_backoff>>;
  EXPECT_EQ(first_complaint(weak, seed_budget(20), complaint_of<protocol>), "");
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
  EXPECT_NE(first_complaint(weak, 40, complaint_of<lets_go_early<data_placement::messages>>), "");
  EXPECT_NE(first_complaint(weak, 40, complaint_of<lets_go_early<data_placement::global_memory>>),
            "");
}

TEST(broken_nested_servers, that_unlock_what_another_has_lent_are_rejected) {
  EXPECT_NE(first_complaint(strong, 1, complaint_of<unlocks_another>, races::pass), "");
}

TEST(broken_nested_servers, without_locks_are_rejected) {
  EXPECT_NE(first_complaint(weak, 40, complaint_of<takes_nothing>), "");
}

TEST(broken_nested_servers, whose_messages_order_nothing_are_rejected) {
  EXPECT_NE(first_complaint(strong, 40, complaint_of<orders_nothing>), "");
  EXPECT_NE(first_complaint(weak, 200, complaint_of<orders_nothing>), "");
}

}  // namespace
}  // namespace finesync::test::nested_test
