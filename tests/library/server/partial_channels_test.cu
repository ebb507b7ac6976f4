// The message paths between the basic and the paper's: every request is served once, as sent, and
// each step saves what it is for.
#include "delivery.hpp"

#include <finesync/device/numbering.cuh>
#include <workloads/printed/server/basic/channel.cuh>
#include <workloads/printed/server/paper/channel.cuh>
#include <workloads/printed/server/paper/partial_channels.cuh>

#include <algorithm>

namespace finesync::test::partial_channels_test {
namespace {

template <template <class, scope> class Channel>
std::string run_one(const server_scenario& e) {
  return run<Channel<test_message<2>, scope::device>, run_each<block_lock>,
             message_service<2, false>>(e);
}

server_scenario scenario_of(std::uint32_t number) {
  const auto below = [&](std::uint32_t what, std::uint32_t bound) {
    return inputs::bounded(inputs::random32(number, what, 0), bound);
  };
  server_scenario e = {};
  e.config = {.servers = 1 + below(0, 3),
              .clients = 1 + below(1, 2),
              .ring = 32u << below(2, 2),
              .locks = 4,
              .local_buffer = 32u << below(3, 2)};
  e.threads_per_block = 64 + 32 * below(4, 2);
  e.messages = {.seed = number,
                .senders = below(5, 2) == 0 ? sender_set::all : sender_set::uneven,
                .most = 1 + below(6, 3),
                .threads_per_block = e.threads_per_block,
                .keys = 1 + below(7, 40),
                .first_key = 0,
                .batch = 1,
                .key_step = 1};
  return e;
}

template <template <class, scope> class Channel>
void expect_right() {
  for (const auto memory : {strong, weak}) {
    EXPECT_EQ(explore(memory, seed_budget(60), scenario_of,
                      [](const server_scenario& e, std::uint32_t) { return run_one<Channel>(e); }),
              "");
  }
}

TEST(partial_channels, with_buffers_alone_serve_every_request_once) {
  expect_right<buffered_channel>();
}
TEST(partial_channels, with_a_leader_alone_serve_every_request_once) {
  expect_right<led_channel>();
}
TEST(partial_channels, that_look_at_every_copy_serve_every_request_once) {
  expect_right<polling_channel>();
}

TEST(partial_channels, that_ask_always_whether_clients_have_finished_serve_every_request_once) {
  expect_right<checking_channel>();
}

template <template <class, scope> class Channel>
std::map<std::string, double> counts_of_a_run() {
  server_scenario e = scenario_of(1);
  e.config = {.servers = 2, .clients = 2, .ring = 256, .locks = 64, .local_buffer = 64};
  e.threads_per_block = e.messages.threads_per_block = 128;
  e.messages.senders = sender_set::all;
  e.messages.most = 4;
  EXPECT_EQ(run_one<Channel>(e), "");
  return last_launch_counts();
}

TEST(partial_channels, save_atomics_with_each_step) {
  const auto atomics = [](auto counts) { return counts["rmw_device_global"]; };
  const double basic = atomics(counts_of_a_run<basic_channel>());
  const double buffered = atomics(counts_of_a_run<buffered_channel>());
  const double led = atomics(counts_of_a_run<led_channel>());
  const double paper = atomics(counts_of_a_run<paper_channel>());
  EXPECT_LT(buffered, 0.75 * basic);
  EXPECT_LT(led, 0.75 * basic);
  EXPECT_LT(paper, 0.5 * buffered);
  EXPECT_LT(paper, 0.5 * led);
}

// A leader that does something reads the count of finished clients only if it asks always.
TEST(partial_channels, ask_when_idle_whether_clients_have_finished) {
  const auto loads = [](auto counts) { return counts["load_device_global"]; };
  EXPECT_LT(loads(counts_of_a_run<paper_channel>()), loads(counts_of_a_run<checking_channel>()));
}

template <class Channel>
__global__ void send_one_each(Channel to, watchdog_ref watchdog) {
  typename Channel::outbox out(to, shared_bytes(), watchdog);
  if (out.send({0, threadIdx.x}, {})) out.finish();
}

/// Of clients alone, as long as they need no slot twice.
template <template <class, scope> class Channel>
double looks_at_the_ring() {
  using channel = Channel<test_message<2>, scope::device>;
  const server_config config{.ring = 256};
  auto memory = buffer<unsigned char>::zeroed(channel::memory_bytes(config));
  EXPECT_TRUE(ends(send_one_each<channel>,
                   {.blocks = 1,
                    .threads_per_block = 128,
                    .shared_bytes = channel::outbox::shared_bytes(config, 128)},
                   channel(config, memory.raw_pointer())));
  return last_launch_counts()["load_device_global"];
}

TEST(partial_channels, save_looks_by_a_lazy_copy) {
  EXPECT_EQ(looks_at_the_ring<led_channel>(), 128);
  EXPECT_GE(looks_at_the_ring<polling_channel>(), 128 / 64);
  EXPECT_EQ(looks_at_the_ring<paper_channel>(), 0);
}

}  // namespace
}  // namespace finesync::test::partial_channels_test
