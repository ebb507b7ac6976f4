// Valid server configurations, and the messages for invalid ones.
#include <finesync/server/server_config.cuh>
#include <workloads/printed/server/paper/channel.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace finesync {
namespace {

/// \returns the error message, or nothing if there is none.
std::string refusal(const server_config& config) {
  try {
    check(config);
    return "";
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
}

void expect_refused(const server_config& config, const std::string& words) {
  const std::string message = refusal(config);
  EXPECT_EQ(message.find(words + ": "), 0u) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(server_config, is_possible_by_default) {
  EXPECT_EQ(refusal({}), "");
}

TEST(server_config, is_possible_at_its_limits) {
  EXPECT_EQ(refusal({.servers = 65536}), "");
  EXPECT_EQ(refusal({.ring = 32, .local_buffer = 32}), "");
  EXPECT_EQ(refusal({.ring = 32, .local_buffer = 64}), "");
  EXPECT_EQ(refusal({.locks = 1}), "");
}

TEST(server_config, needs_servers_and_clients) {
  expect_refused({.servers = 0}, "servers 0");
  expect_refused({.servers = 65537}, "servers 65537");
  expect_refused({.clients = 0}, "clients 0");
}

TEST(server_config, has_as_many_of_each_on_every_gpu) {
  EXPECT_EQ(refusal({.servers = 4, .clients = 2, .gpus = 2}), "");
  expect_refused({.gpus = 0}, "GPUs 0");
  expect_refused({.servers = 3, .clients = 2, .gpus = 2}, "GPUs 2");
  expect_refused({.servers = 2, .clients = 3, .gpus = 2}, "GPUs 2");
}

TEST(server_config, needs_powers_of_two) {
  expect_refused({.ring = 100}, "ring 100");
  expect_refused({.locks = 0}, "locks 0");
  expect_refused({.locks = 3}, "locks 3");
  expect_refused({.local_buffer = 48}, "local buffer 48");
}

TEST(server_config, needs_whole_warps_of_ring_and_buffer) {
  expect_refused({.ring = 0}, "ring 0");
  expect_refused({.ring = 16}, "ring 16");
  expect_refused({.local_buffer = 0}, "local buffer 0");
  expect_refused({.local_buffer = 16}, "local buffer 16");
}

TEST(server_config, sends_no_more_together_than_a_ring_holds) {
  expect_refused({.ring = 32, .local_buffer = 128}, "local buffer 128");
}

TEST(server_config, has_no_longer_ring_on_the_paper_path_than_its_assignments_can_name) {
  using channel = paper_channel<std::uint32_t>;
  EXPECT_NO_THROW(channel::memory_bytes({.ring = 1u << 22}));
  EXPECT_THROW(channel::memory_bytes({.ring = 1u << 23}), std::invalid_argument);
}

}  // namespace
}  // namespace finesync
