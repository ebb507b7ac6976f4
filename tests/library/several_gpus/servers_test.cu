// Servers on several GPUs: every request is served once, as sent, and alone with its key, on many
// schedules, in strong and weak memory. Broken ones: broken_servers_test.cu.
#include "busy_servers.hpp"

#include <finesync/server/partition/balanced.cuh>

#include <tests/library/server/delivery.hpp>

namespace finesync::test::servers_of_gpus_test {
namespace {

const std::vector<int> four{0, 1, 2, 3};

/// Short rings, so that they are full often and wrap around.
server_scenario draw(std::uint32_t number, unsigned gpus) {
  std::uint32_t drawn = 0;
  const auto one_of = [&](std::initializer_list<std::uint32_t> values) {
    return *(values.begin() + inputs::bounded(inputs::random32(number, 300, drawn++),
                                              static_cast<std::uint32_t>(values.size())));
  };
  server_scenario e = {};
  e.config.gpus = gpus;
  e.config.servers = gpus * one_of({1, 1, 2});
  e.config.clients = gpus * one_of({1, 2});
  e.config.ring = one_of({32, 32, 64});
  e.config.local_buffer = one_of({32, 64});
  e.config.locks = one_of({1, 4, 64});
  e.threads_per_block = 32 * (gpus + one_of({0, 0, 1}));
  e.messages.seed = number;
  e.messages.senders = static_cast<sender_set>(one_of({0, 0, 0, 1, 1, 2, 3, 4, 5, 6}));
  e.messages.most = e.messages.senders == sender_set::one_thread ? 70 : one_of({1, 3, 4, 5});
  e.messages.threads_per_block = e.threads_per_block;
  e.messages.keys = one_of({1, 7, 40, 1000});
  e.messages.batch = one_of({1, 3});
  // Sometimes one server gets all.
  e.messages.key_step = one_of({1, 1, 1, e.config.servers});
  e.messages.first_key = one_of({0, 5, 1'000'000});
  return e;
}

std::string run_some_way(const std::vector<int>& devices, const server_scenario& e,
                         std::uint32_t number) {
  using two_units = gpus_fast_channel<test_message<3>>;
  using keyless = gpus_fast_channel<test_message<0>>;
  switch (number / 2 % 3) {
    case 0:
      return run_on_gpus<one_word, combined, message_service_with_own_heads<1, true>>(devices, e);
    case 1:
      return run_on_gpus<two_units, run_each<block_lock>, message_service<3, false>>(devices, e);
    default:
      return run_on_gpus<keyless, combined, message_service<0, true>>(devices, e);
  }
}

std::string explore_on(const std::vector<int>& devices, simt::memory_kind memory, unsigned seeds) {
  return explore(
      memory, seed_budget(seeds),
      [&](std::uint32_t number) { return draw(number, static_cast<unsigned>(devices.size())); },
      [&](const server_scenario& e, std::uint32_t number) {
        return run_some_way(devices, e, number);
      });
}

TEST(servers_of_gpus, serve_every_request_once_on_two) {
  EXPECT_EQ(explore_on(two, strong, 15), "");
  EXPECT_EQ(explore_on(two, weak, 15), "");
}

TEST(servers_of_gpus, serve_every_request_once_on_four) {
  EXPECT_EQ(explore_on(four, strong, 2), "");
  EXPECT_EQ(explore_on(four, weak, 2), "");
}

TEST(servers_of_gpus, serve_every_request_once_as_two_grids_of_one) {
  EXPECT_EQ(explore_on(twice_one, weak, 6), "");
}

TEST(servers_of_gpus, serve_every_request_once_on_one_alone) {
  EXPECT_EQ(explore_on({0}, weak, 6), "");
}

TEST(balanced_keys, have_one_server_of_all_gpus) {
  using by_few_slots = partition_by_sample<7>;
  server_scenario e = busy;
  e.messages.key_step = 2;  // key % servers is the same for all
  const auto complaint = [&] { return complaint_about<one_word, by_few_slots>(e); };
  EXPECT_EQ(first_complaint(weak, 4, complaint), "");
}

// Words between GPUs.

TEST(scope_between_gpus, is_system_everywhere_but_where_clients_count_themselves) {
  EXPECT_EQ(complaint_about<one_word>(busy), "");
  double others = 0;  // without loads, which also read the watchdog
  for (const auto& [name, count] : last_launch_counts())
    if (name.find("_device") != std::string::npos && !name.starts_with("load")) others += count;
  EXPECT_EQ(others, busy.config.clients);
}

// Order.

/// A ring is served in order of reservation: the lanes of a server take its requests in turn.
struct order_service {
  using argument = std::uint32_t;  // of its sender, counted from 1

  struct section {
    cell<std::uint32_t>* last;
    cell<std::uint32_t>* wrong;
    std::uint32_t number;
    __device__ void operator()() const {
      if (number != (number <= 32 ? number : *last + 32)) *wrong = *wrong + 1;
      *last = number;
    }
  };

  cell<std::uint32_t>* last;   ///< number of a source, by source and lane
  cell<std::uint32_t>* wrong;  ///< by source
  __device__ section operator()(std::uint32_t key, std::uint32_t number) const {
    const std::uint32_t source = key / 2;
    return {last + source * 32 + number % 32, wrong + source, number};
  }
};

/// One thread of each GPU sends numbers to all servers; a key tells the source.
struct counting_client {
  static constexpr std::uint32_t most = 150;

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    if (thread % (threads / 2) != 0) return true;
    const unsigned source = thread / (threads / 2);
    for (std::uint32_t number = 1; number <= most; ++number)
      for (unsigned server = 0; server < 2; ++server)
        if (!out.send(2 * source + server, number)) return false;
    return true;
  }
};

/// \returns the number of requests out of order, and of those that are missing at the end.
std::uint32_t disorder_on_two() {
  const peers all(2);
  gpus_server_pool<gpus_fast_channel<std::uint32_t>, run_each<block_lock>> pool(all, busy.config);
  std::vector<buffer<std::uint32_t>> last, wrong;
  for (const stream& each : all.streams()) {
    last.push_back(zeroed(2 * 32, each));
    wrong.push_back(zeroed(2, each));
  }
  all.synchronize();
  const gpus_watchdog timeout(all);
  pool.launch(
      64,
      [&](unsigned me) {
        return order_service{last[me].device_data(), wrong[me].device_data()};
      },
      counting_client{}, timeout);
  std::uint32_t found = timeout.fired() ? 1 : 0;
  for (unsigned gpu = 0; gpu < 2; ++gpu) {
    for (const std::uint32_t of_source : wrong[gpu].to_host()) found += of_source;
    for (const std::uint32_t number : last[gpu].to_host())
      found += number + 32 <= counting_client::most ? 1 : 0;
  }
  return found;
}

TEST(requests_of_a_gpu, come_in_their_order) {
  expect_right_in_any_memory(3, [] { return disorder_on_two() == 0; });
}

// What ends a wait.

/// The server of the second GPU does something else, until all have noticed that it timed out. It
/// changes memory, so that the executor does not end the launch and the watchdogs must.
class with_a_dead_server : public one_word {
 public:
  using one_word::one_word;

  class inbox : public one_word::inbox {
   public:
    __device__ inbox(const with_a_dead_server& channel, unsigned server, unsigned char* shared,
                     const watchdog_ref& watchdog)
        : one_word::inbox(channel, server, shared, watchdog),
          timeout_(watchdog),
          beats_(*reinterpret_cast<cell<std::uint32_t>*>(shared)),
          dead_(server == 1) {}
    template <class Handler>
    __device__ bool receive(Handler&& handle) {
      if (!dead_) return one_word::inbox::receive(handle);
      if (threadIdx.x != 0) return false;
      for (unsigned left = 1 << 15; left > 0; left -= timeout_.has_fired())
        atomic_ref<std::uint32_t, scope::block>(beats_).fetch_add(1, memory_order::relaxed);
      return false;
    }

   private:
    watchdog_ref timeout_;
    cell<std::uint32_t>& beats_;
    bool dead_;
  };
};

TEST(server_that_does_not_answer, is_named_with_its_gpu) {
  const std::string report = complaint_about<with_a_dead_server>(busy);
  for (const std::string words :
       {"GPU 0: ", "block 0 waits for requests", "for space in the ring of server 1",
        "; GPU 1: ", "; block 0 does not answer"})
    EXPECT_NE(report.find(words), std::string::npos) << "no \"" << words << "\" in: " << report;
  EXPECT_GT(report.find("does not answer"), report.find("; GPU 1: ")) << report;
}

TEST(server_pool_of_gpus, refuses_what_cannot_be) {
  using pool = gpus_server_pool<one_word, combined>;
  const peers all(2);
  EXPECT_THROW(pool(all, {.servers = 4, .clients = 4, .gpus = 4}), std::invalid_argument);
  EXPECT_THROW(pool(all, {.servers = 3, .clients = 4, .gpus = 2}), std::invalid_argument);
  server_scenario narrow = busy;
  narrow.threads_per_block = narrow.messages.threads_per_block = 32;
  EXPECT_THROW(complaint_about<one_word>(narrow), launch_error);
}

}  // namespace
}  // namespace finesync::test::servers_of_gpus_test
