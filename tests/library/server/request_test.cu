// What servers are made of, before anything is sent: the packed form of a request on the fast path,
// partitions that are known before a kernel, and valid configurations.
#include <finesync/server/fast/wire.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/partition/range.cuh>
#include <finesync/server/server_config.cuh>
#include <inputs/random.cuh>
#include <workloads/printed/server/paper/channel.cuh>

#include <tests/library/harness/harness.hpp>

#include <cmath>

namespace finesync::test::request_test {
namespace {

template <unsigned Words>
struct words_of {
  std::uint32_t word[Words];
  bool operator==(const words_of&) const = default;
};
template <>
struct words_of<0> {
  bool operator==(const words_of&) const = default;
};

template <unsigned Words>
words_of<Words> filled(std::uint32_t draw) {
  words_of<Words> argument = {};
  if constexpr (Words > 0) {
    for (unsigned i = 0; i < Words; ++i)
      argument.word[i] = draw == 0 ? 0xffffffff : inputs::random32(2, draw, i);
  }
  return argument;
}

template <class Argument>
class packing : public ::testing::Test {};
using arguments_of_all_sizes = ::testing::Types<words_of<0>, words_of<1>, words_of<2>, words_of<3>,
                                                words_of<4>, words_of<5>, words_of<6>>;
TYPED_TEST_SUITE(packing, arguments_of_all_sizes);

template <class Argument>
constexpr unsigned words_in = argument_words<Argument>();

constexpr std::uint32_t locals[] = {0, 1, 0x55555555, 0x7fffffff};

TYPED_TEST(packing, fits_into_the_fewest_wire_words) {
  using packed = packed_request<TypeParam>;
  EXPECT_EQ(packed::words, 1 + words_in<TypeParam>);
  EXPECT_EQ(packed::units, packed::words <= 2 ? 1u : packed::words <= 4 ? 2u : 4u);
  EXPECT_EQ(sizeof(wire_slot<packed::units>), 8 * packed::units);
}

TYPED_TEST(packing, comes_back_as_it_was) {
  for (std::uint32_t draw = 0; draw < 100; ++draw) {
    const auto argument = filled<words_in<TypeParam>>(draw);
    for (const std::uint32_t local : locals) {
      const auto packed = packed_request<TypeParam>::of(local, argument);
      EXPECT_EQ(packed.local(), local);
      EXPECT_TRUE(packed.argument() == argument) << "draw " << draw;
    }
  }
}

TYPED_TEST(packing, leaves_the_top_bit_of_every_wire_word_free) {
  for (std::uint32_t draw = 0; draw < 100; ++draw) {
    for (const std::uint32_t local : locals) {
      const auto packed = packed_request<TypeParam>::of(local, filled<words_in<TypeParam>>(draw));
      // A wire word has one unit or two.
      for (unsigned unit = packed.units == 1 ? 0 : 1; unit < packed.units; unit += 2)
        EXPECT_EQ(packed.unit[unit] >> 63, 0u);
    }
  }
}

TYPED_TEST(packing, ignores_the_parity_on_the_wire) {
  const auto argument = filled<words_in<TypeParam>>(1);
  auto packed = packed_request<TypeParam>::of(0x12345678, argument);
  for (unsigned unit = packed.units == 1 ? 0 : 1; unit < packed.units; unit += 2)
    packed.unit[unit] |= std::uint64_t{1} << 63;
  EXPECT_EQ(packed.local(), 0x12345678u);
  EXPECT_TRUE(packed.argument() == argument);
}

/// What receivers of lap 0 and of lap 1 find in a slot: nothing, then a request of lap 0, then one
/// of lap 1.
template <class Argument>
__global__ void show_laps(wire_slot<packed_request<Argument>::units>* slot, Argument first,
                          Argument second, cell<std::uint32_t>* shown) {
  using slot_type = wire_slot<packed_request<Argument>::units>;
  constexpr std::uint32_t ring = 32;
  const std::uint64_t laps[] = {lap_parity(5, ring), lap_parity(5 + ring, ring)};
  packed_request<Argument> found;
  const auto expect_slot = [&](unsigned at) {
    slot->load(found);
    for (unsigned lap = 0; lap < 2; ++lap) shown[at + lap] = slot_type::arrived(found, laps[lap]);
  };
  expect_slot(0);
  slot->store(packed_request<Argument>::of(7, first), laps[0]);
  expect_slot(2);
  shown[4] = found.local() == 7 && found.argument() == first;
  slot->store(packed_request<Argument>::of(8, second), laps[1]);
  expect_slot(5);
  shown[7] = found.local() == 8 && found.argument() == second;
}

TYPED_TEST(packing, is_shown_to_the_receiver_of_its_lap_alone) {
  using slot = wire_slot<packed_request<TypeParam>::units>;
  const zeroed_states<slot> ring;
  const buffer<std::uint32_t> shown(8);
  launch_cooperative(show_laps<TypeParam>, {1, 1}, ring.device_data(),
                     filled<words_in<TypeParam>>(0), filled<words_in<TypeParam>>(1),
                     shown.device_data());
  // A slot with the other parity is from the previous lap: an empty slot from "lap -1".
  EXPECT_EQ(shown.to_host(), (std::vector<std::uint32_t>{0, 1, 1, 0, 1, 0, 1, 1}));
}

TEST(ring_position, changes_parity_with_each_lap_also_where_it_wraps) {
  for (const std::uint32_t ring : {32u, 64u, 4096u}) {
    for (std::uint32_t lap = 0; lap < 5; ++lap) {
      EXPECT_EQ(lap_parity(lap * ring, ring), 1 - lap % 2);
      EXPECT_EQ(lap_parity(lap * ring + ring - 1, ring), 1 - lap % 2);
    }
    EXPECT_EQ(lap_parity(0u - ring, ring), 0u);
    EXPECT_EQ(lap_parity(0u - 1, ring), 0u);
  }
}

TEST(ring_position, has_an_order_also_where_it_wraps) {
  EXPECT_TRUE(before(1, 2));
  EXPECT_FALSE(before(2, 2));
  EXPECT_FALSE(before(3, 2));
  EXPECT_TRUE(before(0xfffffff0, 5));
  EXPECT_FALSE(before(5, 0xfffffff0));
}

constexpr std::uint32_t max_servers = 65536;

bool divides_exactly(std::uint32_t divisor, std::uint32_t dividend) {
  return fixed_divisor(divisor).quotient(dividend) == dividend / divisor;
}

/// \returns the first key with a wrong quotient, as text; nothing if there is none.
template <class KeysOf>
std::string first_wrong(KeysOf keys_of) {
  for (std::uint32_t servers = 1; servers <= max_servers; ++servers) {
    for (const std::uint32_t key : keys_of(servers))
      if (!divides_exactly(servers, key))
        return "key " + std::to_string(key) + " of " + std::to_string(servers) + " servers";
  }
  return "";
}

std::array<std::uint32_t, 14> edges_of(std::uint32_t divisor) {
  constexpr std::uint32_t last = 0xffffffff;
  const std::uint32_t last_multiple = last / divisor * divisor;
  const std::uint32_t middle = last / 2 / divisor * divisor;
  return {0u,       1u,         divisor - 1, divisor,     divisor + 1,       middle - 1,
          middle,   middle + 1, 0x7fffffffu, 0x80000000u, last_multiple - 1, last_multiple,
          last - 1, last};
}

TEST(fixed_divisor, divides_at_every_edge_by_any_number_of_servers) {
  EXPECT_EQ(first_wrong(edges_of), "");
}

TEST(fixed_divisor, divides_random_numbers_by_any_number_of_servers) {
  EXPECT_EQ(first_wrong([](std::uint32_t servers) {
              std::array<std::uint32_t, 16> keys;
              for (std::uint32_t i = 0; i < keys.size(); ++i) {
                // Of all magnitudes.
                const std::uint32_t bits = inputs::random32(1, servers, i);
                keys[i] = bits >> bits % 32;
              }
              return keys;
            }),
            "");
}

TEST(fixed_divisor, divides_by_large_numbers) {
  for (const std::uint32_t divisor : {65537u, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu})
    for (const std::uint32_t dividend : edges_of(divisor))
      EXPECT_TRUE(divides_exactly(divisor, dividend)) << dividend << " / " << divisor;
}

/// Each of the keys 0 to `keys` - 1 must come back from its server.
template <class Partition>
void expect_that_keys_come_back(const server_config& config) {
  const Partition partition(config, nullptr);
  for (std::uint32_t key = 0; key < config.keys; ++key) {
    const destination to = partition.destination_of(key);
    ASSERT_LT(to.server, config.servers) << key;
    ASSERT_EQ(partition.key_of(to.server, to.local), key);
  }
}

template <class Partition>
class known_partition : public ::testing::Test {};
using known_partitions = ::testing::Types<modulo_partition, range_partition>;
TYPED_TEST_SUITE(known_partition, known_partitions);

TYPED_TEST(known_partition, returns_every_key) {
  for (const unsigned servers : {1u, 2u, 3u, 64u, 198u, 1000u}) {
    for (const std::uint32_t keys : {1u, 2u, 63u, 197u, 198u, 199u, 5000u}) {
      SCOPED_TRACE(std::to_string(servers) + " servers, " + std::to_string(keys) + " keys");
      expect_that_keys_come_back<TypeParam>({.servers = servers, .keys = keys});
    }
  }
}

TYPED_TEST(known_partition, gives_no_server_more_than_its_share) {
  constexpr server_config config = {.servers = 198, .keys = 5000};
  const TypeParam partition(config, nullptr);
  std::array<unsigned, config.servers> count = {};
  for (std::uint32_t key = 0; key < config.keys; ++key)
    ++count[partition.destination_of(key).server];
  for (const unsigned each : count) EXPECT_LE(each, 5000 / 198 + 1);
}

TEST(modulo_partition, numbers_the_keys_of_several_servers_in_31_bits) {
  for (std::uint32_t servers = 2; servers <= max_servers; ++servers) {
    const modulo_partition partition({.servers = servers});
    ASSERT_LT(partition.destination_of(0xffffffff).local, 0x80000000) << servers << " servers";
  }
}

TEST(modulo_partition, is_the_remainder) {
  const modulo_partition partition({.servers = 7});
  EXPECT_EQ(partition.destination_of(45).server, 3u);
  EXPECT_EQ(partition.destination_of(45).local, 6u);
}

TEST(range_partition, keeps_neighbours_together) {
  const range_partition partition({.servers = 3, .keys = 8});
  constexpr unsigned servers[] = {0, 0, 0, 1, 1, 1, 2, 2};
  for (std::uint32_t key = 0; key < 8; ++key)
    EXPECT_EQ(partition.destination_of(key).server, servers[key]) << key;
}

/// Requests of the server with the most of them, relative to the mean, of keys that get these.
template <class Partition>
double greatest_share(const std::vector<double>& requests_of_key, unsigned servers) {
  const Partition partition(
      {.servers = servers, .keys = static_cast<std::uint32_t>(requests_of_key.size())});
  std::vector<double> found(servers);
  for (std::uint32_t key = 0; key < requests_of_key.size(); ++key)
    found[partition.destination_of(key).server] += requests_of_key[key];
  const double all = std::accumulate(found.begin(), found.end(), 0.0);
  return *std::max_element(found.begin(), found.end()) * servers / all;
}

// By arithmetic alone. Frequent keys are neighbours.
TEST(partitions, interleave_keys_to_balance_a_skewed_load) {
  std::vector<double> zipf(32768);
  for (std::size_t rank = 0; rank < zipf.size(); ++rank)
    zipf[rank] = std::pow(static_cast<double>(rank + 1), -0.8);
  const double interleaved = greatest_share<modulo_partition>(zipf, 66);
  const double ranges = greatest_share<range_partition>(zipf, 66);
  EXPECT_NEAR(ranges / interleaved, 8.88, 0.005);
}

TEST(partitions, cannot_balance_fewer_keys_than_servers) {
  const std::vector<double> few(32, 1.0);
  EXPECT_NEAR(greatest_share<modulo_partition>(few, 66), 2.06, 0.005);
  EXPECT_NEAR(greatest_share<range_partition>(few, 66), 2.06, 0.005);
}

std::string refusal(const server_config& config) {
  return refusal_of<std::invalid_argument>([&] { check(config); });
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
}  // namespace finesync::test::request_test
