// Keys outside a path's range end the kernel; all others arrive.
#include "all_paths.hpp"
#include "server_scenario.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>

namespace finesync::test::contract_test {
namespace {

server_scenario with_last_key(std::uint32_t key, unsigned servers) {
  return {.config = {.servers = servers, .clients = 1, .ring = 32, .locks = 4, .local_buffer = 32},
          .threads_per_block = 64,
          .messages = {.seed = 1,
                       .senders = sender_set::all,
                       .most = 2,
                       .threads_per_block = 64,
                       .keys = 2,
                       .first_key = key - 1,
                       .batch = 1,
                       .key_step = 1}};
}

template <class Path>
std::string complaint_about(std::uint32_t last_key, unsigned servers) {
  using channel = typename Path::template channel<test_message<1>>;
  try {
    return run<channel, run_each<block_lock>, registry<1, false>>(with_last_key(last_key, servers));
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

}  // namespace
}  // namespace finesync::test::contract_test
