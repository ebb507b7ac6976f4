// The partition by a sample of the load: every request is served once, all blocks have the same
// partition, and no server has much more than its share.
#include "delivery.hpp"

#include <finesync/server/fast/channel.cuh>
#include <finesync/server/partition/balanced.cuh>

namespace finesync::test::balanced_test {
namespace {

/// With few slots, as the executor deals them slowly.
using small_partition = partition_by_sample<7>;

/// Clients that do not wait until the sample is counted.
class impatient_partition : public small_partition {
 public:
  using small_partition::small_partition;

  template <class Client>
  __device__ bool settle(const Client& client, bool sends, unsigned char* table,
                         unsigned char* scratch, const watchdog_ref& /*watchdog*/) {
    auto& work = *reinterpret_cast<scratch_memory*>(scratch);
    has_table_ = has_few_keys(client, work);
    if (!has_table_) return true;
    count_large_sample(client);
    if (!sends) return true;
    table_ = reinterpret_cast<cell<std::uint8_t>*>(table);
    deal(work);
    return true;
  }
};

/// Servers that take the keys of a table for those of the modulo partition.
class confused_partition : public small_partition {
 public:
  using small_partition::small_partition;

  __device__ std::uint32_t key_of(unsigned server, std::uint32_t local) const {
    return by_modulo_.key_of(server, local);
  }
};

server_scenario draw(std::uint32_t number) {
  const auto below = [&](std::uint32_t draw, std::uint32_t bound) {
    return inputs::bounded(inputs::random32(number, 200 + draw, 0), bound);
  };
  server_scenario e = {};
  e.config = {.servers = 1 + below(0, 4),
              .clients = 1 + below(1, 3),
              .ring = 32,
              .locks = 4,
              .local_buffer = 32};
  e.threads_per_block = 32 * (1 + below(2, 3));
  constexpr std::uint32_t keys[] = {1, 2, 7, 40, 10'000};
  e.messages = {.seed = number,
                .senders = sender_set::uneven,
                .most = 5,
                .threads_per_block = e.threads_per_block,
                .keys = keys[below(3, 5)],
                .first_key = below(4, 1000),
                .batch = 1 + 2 * below(5, 2),
                .key_step = 1 + below(6, 100)};
  return e;
}

template <class Partition>
std::string explore_with(simt::memory_kind memory, unsigned seeds) {
  using channel = fast_channel<test_message<1>>;
  return explore(memory, seeds, draw, [](const server_scenario& e, std::uint32_t) {
    return run<channel, combine_by_key<block_lock>, message_service_with_own_heads<1, true>,
               Partition>(e, 20'000'000);
  });
}

class both_memories : public ::testing::TestWithParam<simt::memory_kind> {};
INSTANTIATE_TEST_SUITE_P(memory, both_memories, ::testing::Values(strong, weak));

TEST_P(both_memories, serve_every_request_once) {
  EXPECT_EQ(explore_with<small_partition>(GetParam(), seed_budget(60)), "");
}

TEST(rejected, clients_that_do_not_wait_for_the_counts) {
  EXPECT_NE(explore_with<impatient_partition>(weak, 60), "");
}

TEST(rejected, servers_that_do_not_know_of_the_table) {
  EXPECT_NE(explore_with<confused_partition>(strong, 60), "");
}

/// Requests for key i with the given weights: their sum is the number of requests.
struct weighted_client {
  const cell<std::uint32_t>* last;  ///< by key: the number of requests up to this key
  std::uint32_t keys;
  std::uint32_t key_step;
  std::uint32_t all;

  __device__ std::uint32_t requests() const { return all; }
  __device__ std::uint32_t key_of_request(std::uint32_t i) const {
    std::uint32_t key = 0;
    while (key + 1 < keys && last[key] <= i) ++key;
    return key * key_step;
  }
};

template <class Partition>
__global__ void note_servers(Partition partition, server_config config, weighted_client client,
                             watchdog_ref watchdog, cell<std::uint32_t>* server_of) {
  unsigned char* const shared = shared_bytes();
  const bool sends = blockIdx.x >= config.servers;
  if (!partition.settle(client, sends, shared, shared + Partition::table_bytes(config), watchdog))
    return;
  __syncthreads();
  if (!sends) return;
  for (std::uint32_t key = threadIdx.x; key < client.keys; key += blockDim.x) {
    server_of[(blockIdx.x - config.servers) * client.keys + key] =
        partition.destination_of(key * client.key_step).server;
  }
}

/// The server of each key, or nothing if the blocks disagree.
std::vector<std::uint32_t> servers_of(const server_config& config,
                                      const std::vector<std::uint32_t>& weights,
                                      std::uint32_t key_step) {
  const auto keys = static_cast<std::uint32_t>(weights.size());
  std::vector<std::uint32_t> last(weights.size());
  std::partial_sum(weights.begin(), weights.end(), last.begin());
  buffer<std::uint32_t> requests(last.size());
  requests.copy_from(last);
  buffer<unsigned char> memory(small_partition::memory_bytes(config));
  memory.fill_bytes(0);
  const auto servers = zeroed(config.clients * weights.size());
  const watchdog timeout;
  launch_cooperative(note_servers<small_partition>,
                     {.blocks = config.servers + config.clients,
                      .threads_per_block = 64,
                      .shared_bytes = small_partition::table_bytes(config) +
                                      small_partition::scratch_bytes(config)},
                     small_partition(config, memory.raw_pointer()), config,
                     weighted_client{requests.device_data(), keys, key_step, last.back()},
                     timeout.ref(), servers.device_data());
  std::vector<std::uint32_t> all = servers.to_host();
  for (std::size_t i = keys; i < all.size(); ++i)
    if (all[i] != all[i - keys]) return {};
  all.resize(keys);
  return all;
}

/// The load of the fullest server, as a multiple of the mean.
double fullest(const server_config& config, const std::vector<std::uint32_t>& weights,
               std::uint32_t key_step) {
  const std::vector<std::uint32_t> servers = servers_of(config, weights, key_step);
  EXPECT_EQ(servers.size(), weights.size()) << "the blocks disagree";
  if (servers.size() != weights.size()) return 0;
  std::vector<double> load(config.servers, 0);
  for (std::size_t key = 0; key < weights.size(); ++key) load[servers[key]] += weights[key];
  const double mean = std::accumulate(load.begin(), load.end(), 0.0) / config.servers;
  return *std::max_element(load.begin(), load.end()) / mean;
}

const simt::settings on_large_gpu = [] {
  simt::settings how = simt::current_settings();
  how.gpu = simt::find_gpu_model("h200");
  return how;
}();

TEST(balanced_partition, deals_equal_keys_evenly_where_the_remainder_does_not) {
  const simt::scoped_settings scoped(on_large_gpu);
  constexpr server_config config = {.servers = 16, .clients = 3};
  // All keys are multiples of 16, so key % servers is the same for all.
  EXPECT_LE(fullest(config, std::vector<std::uint32_t>(32, 500), 16), 1.51);
}

TEST(balanced_partition, leaves_the_server_of_a_favourite_alone) {
  const simt::scoped_settings scoped(on_large_gpu);
  constexpr server_config config = {.servers = 8, .clients = 2};
  std::vector<std::uint32_t> weights(40, 100);
  weights[5] = 4000;  // as much as four servers can take
  EXPECT_LE(fullest(config, weights, 3), 4.06);
}

TEST(balanced_partition, follows_a_load_that_moves) {
  const simt::scoped_settings scoped(on_large_gpu);
  constexpr server_config config = {.servers = 8, .clients = 2};
  for (const std::size_t hot : {0u, 20u, 39u}) {
    std::vector<std::uint32_t> weights(40, 20);
    for (std::size_t i = 0; i < 8; ++i) weights[(hot + i) % 40] = 1000;
    EXPECT_LE(fullest(config, weights, 8), 1.5) << hot;
  }
}

TEST(balanced_partition, is_the_remainder_if_keys_are_many) {
  const simt::scoped_settings scoped(on_large_gpu);
  constexpr server_config config = {.servers = 4, .clients = 2};
  const std::vector<std::uint32_t> servers =
      servers_of(config, std::vector<std::uint32_t>(3000, 1), 1);
  ASSERT_EQ(servers.size(), 3000u);
  for (std::uint32_t key = 0; key < 3000; ++key) ASSERT_EQ(servers[key], key % 4);
}

TEST(balanced_partition, has_256_servers_at_most) {
  EXPECT_NO_THROW(balanced_partition::memory_bytes({.servers = 256}));
  EXPECT_THROW(balanced_partition::memory_bytes({.servers = 257}), std::invalid_argument);
}

}  // namespace
}  // namespace finesync::test::balanced_test
