// Requests before they are sent: the packed form of a request on the fast path, and how it shows
// that it has arrived.
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/server/fast/wire.cuh>
#include <inputs/random.cuh>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync {
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

}  // namespace
}  // namespace finesync
