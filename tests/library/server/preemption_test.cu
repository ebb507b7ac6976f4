// One preemption at many steps of a small run: a thread preempted between two steps must not make
// the others lose a request.
#include "all_paths.hpp"
#include "delivery.hpp"

namespace finesync::test::preemption_test {
namespace {

template <class Path>
class preempted_servers : public ::testing::Test {};
TYPED_TEST_SUITE(preempted_servers, all_paths, path_names);

TYPED_TEST(preempted_servers, serve_every_request_once) {
  using channel = typename TypeParam::template channel<test_message<1>>;
  const server_scenario few = {
      .config = {.servers = 1, .clients = 1, .ring = 32, .locks = 1, .local_buffer = 32},
      .threads_per_block = 32 * TypeParam::min_warps,
      .messages = {.seed = 1,
                   .senders = sender_set::one_thread,
                   .most = 3,
                   .threads_per_block = 32 * TypeParam::min_warps,
                   .keys = 1,
                   .first_key = 0,
                   .batch = 1,
                   .key_step = 1}};
  const auto right = [&] {
    return run<channel, run_each<block_lock>, registry<1, false>>(few).empty();
  };
  // Only the first lanes of warps do anything in two steps.
  EXPECT_EQ(failing_preemptions(600, 8000, right, 1), 0u);
}

}  // namespace
}  // namespace finesync::test::preemption_test
