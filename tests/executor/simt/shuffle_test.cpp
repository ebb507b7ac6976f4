// Shuffles compared with CUDA's definition of the source lane, in all modes, widths and sizes.
#include "harness.hpp"

#include <finesync/device/ptx/message_128.cuh>

#include <vector>

namespace simt_test::shuffle_test {
namespace {

enum class mode { index, up, down, exclusive_or };

/// CUDA C++ Programming Guide, "Warp Shuffle Functions".
int source_of(mode how, int lane, int argument, int width) {
  const int segment = lane / width * width;
  switch (how) {
    case mode::index:
      return segment + ((argument % width) + width) % width;
    case mode::up:
      return lane - argument < segment ? lane : lane - argument;
    case mode::down:
      return lane + argument >= segment + width ? lane : lane + argument;
    default:
      return (lane ^ argument) >= segment + width ? lane : lane ^ argument;
  }
}

template <class T>
T value_of(unsigned lane);
template <>
std::uint32_t value_of(unsigned lane) {
  return 0xab000000 + lane;
}
template <>
std::uint64_t value_of(unsigned lane) {
  return 0xab00000000000000 + lane;
}
template <>
message_128 value_of(unsigned lane) {
  return {lane, 0xab00000000000000 + lane};
}

bool same(std::uint64_t a, std::uint64_t b) {
  return a == b;
}
bool same(const message_128& a, const message_128& b) {
  return a.low == b.low && a.high == b.high;
}

template <class T>
__global__ void shuffle(mode how, unsigned mask, int argument, int width, cell<T>* out) {
  const unsigned lane = threadIdx.x;
  if ((mask >> lane & 1) == 0) return;
  const T mine = value_of<T>(lane);
  const auto distance = static_cast<unsigned>(argument);
  switch (how) {
    case mode::index:
      out[lane] = __shfl_sync(mask, mine, argument, width);
      break;
    case mode::up:
      out[lane] = __shfl_up_sync(mask, mine, distance, width);
      break;
    case mode::down:
      out[lane] = __shfl_down_sync(mask, mine, distance, width);
      break;
    default:
      out[lane] = __shfl_xor_sync(mask, mine, argument, width);
  }
}

/// Only if no lane of the mask reads one outside it, which is undefined.
bool is_defined(mode how, unsigned mask, int argument, int width) {
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    if ((mask >> source_of(how, lane, argument, width) & 1) == 0) return false;
  }
  return true;
}

template <class T>
unsigned expect_definition(mode how, int argument, int width) {
  unsigned tried = 0;
  for (const unsigned mask : {full_warp, 0xffffu, 0xf0f0f0f0u, 0x55555555u, 0x00ff00ffu}) {
    if (!is_defined(how, mask, argument, width)) continue;
    ++tried;
    auto out = buffer<T>::zeroed(32);
    launch_cooperative(shuffle<T>, {}, how, mask, argument, width, out.device_data());
    const std::vector<T> found = out.to_host();
    for (int lane = 0; lane < 32; ++lane) {
      const T expected =
          (mask >> lane & 1) == 0
              ? T{}
              : value_of<T>(static_cast<unsigned>(source_of(how, lane, argument, width)));
      EXPECT_TRUE(same(found[static_cast<std::size_t>(lane)], expected))
          << "mode " << static_cast<int>(how) << ", mask " << mask << ", argument " << argument
          << ", width " << width << ", lane " << lane;
    }
  }
  return tried;
}

template <class T>
class shuffle_of : public testing::Test {};
using values = testing::Types<std::uint32_t, std::uint64_t, message_128>;
TYPED_TEST_SUITE(shuffle_of, values);

constexpr int widths[] = {2, 4, 8, 16, 32};

TYPED_TEST(shuffle_of, an_index) {
  for (const int width : widths) {
    for (const int source : {0, 1, 5, 15, 31, 32, 35}) {
      EXPECT_GT(expect_definition<TypeParam>(mode::index, source, width), 0u);
    }
  }
}

TYPED_TEST(shuffle_of, lanes_below_and_above) {
  for (const int width : widths) {
    for (const int distance : {0, 1, 2, 8, 31}) {
      EXPECT_GT(expect_definition<TypeParam>(mode::up, distance, width), 0u);
      EXPECT_GT(expect_definition<TypeParam>(mode::down, distance, width), 0u);
    }
  }
}

TYPED_TEST(shuffle_of, lanes_that_differ_in_bits) {
  for (const int width : widths) {
    for (const int bits : {0, 1, 2, 5, 16, 31}) {
      EXPECT_GT(expect_definition<TypeParam>(mode::exclusive_or, bits, width), 0u);
    }
  }
}

/// As on a GPU, which takes the lane number modulo the width.
TEST(shuffle_death_test, a_negative_index_counts_from_the_end_of_the_segment) {
  expect_in_own_process([] {
    for (const int width : widths) expect_definition<std::uint32_t>(mode::index, -1, width);
    return !testing::Test::HasFailure();
  });
}

/// Lanes read from different lanes, repeatedly, on schedules that separate them widely.
__global__ void rotate(cell32* out) {
  std::uint32_t value = threadIdx.x;
  for (unsigned step = 0; step < 33; ++step) {
    value = __shfl_sync(full_warp, value, static_cast<int>(threadIdx.x + 1) % 32);
  }
  out[threadIdx.x] = value;
}

TEST(shuffle, one_after_the_other_uses_the_value_of_its_turn) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed));
    const auto [out] = words_after(rotate, {}, {32});
    for (unsigned lane = 0; lane < 32; ++lane) ASSERT_EQ(out[lane], (lane + 33) % 32);
  }
}

}  // namespace
}  // namespace simt_test::shuffle_test
