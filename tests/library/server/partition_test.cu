// Partitions that are known before a kernel: every key has one server and one number there.
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/partition/range.cuh>
#include <inputs/random.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace finesync {
namespace {

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

// ASPLOS'19, section 3.1.1; the ledger of claims names these numbers. Frequent keys are neighbours.
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

}  // namespace
}  // namespace finesync
