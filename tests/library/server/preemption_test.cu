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
  const auto few = server_scenario::of(
      {.servers = 1, .clients = 1, .ring = 32, .locks = 1, .local_buffer = 32},
      32 * TypeParam::min_warps, {.senders = sender_set::one_thread, .most = 3, .keys = 1});
  const auto right = [&] {
    return run<channel, run_each<block_lock>, message_service<1, false>>(few).empty();
  };
  // Only the first lanes of warps do anything in two steps.
  EXPECT_EQ(failing_preemptions(600, 8000, right, 1), 0u);
}

}  // namespace
}  // namespace finesync::test::preemption_test
