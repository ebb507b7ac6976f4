// Votes and matches compared with their definition: all masks of a list, lanes that arrive in any
// order, and several groups of one warp at the same time.
#include "harness.hpp"

#include <finesync/device/ptx/message_128.cuh>
#include <finesync/device/warp.cuh>
#include <simt/random.hpp>

#include <bit>

namespace simt_test::collectives_test {
namespace {

const std::vector<unsigned> masks = {full_warp,  0x00000001, 0x80000000, 0x0000ffff, 0xffff0000,
                                     0x55555555, 0xaaaaaaaa, 0x80000001, 0x00ff00f0, 0x7ffffffe};

/// Runs `test` under round robin and a few random schedules.
template <class Test>
void under_several_schedules(Test test) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const simt::scoped_settings use(seed == 0 ? round_robin() : simt::random_schedule(seed));
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    test();
  }
}

constexpr unsigned rounds = 4;  // one collective right after the other
constexpr unsigned results = 3;

/// Lanes of the mask vote with a bit of their predicate word in each round.
__global__ void vote(cell32* out, unsigned mask, const std::uint32_t* predicates) {
  const unsigned lane = threadIdx.x;
  if ((mask >> lane & 1) == 0) return;
  for (unsigned round = 0; round < rounds; ++round) {
    // Any non-zero predicate counts, whichever bit is set.
    const int predicate = static_cast<int>((predicates[round] >> lane & 1) << (lane % 31));
    cell32* mine = out + (round * 32 + lane) * results;
    mine[0] = __ballot_sync(mask, predicate);
    mine[1] = static_cast<unsigned>(__any_sync(mask, predicate));
    mine[2] = static_cast<unsigned>(__all_sync(mask, predicate));
  }
}

TEST(collectives, votes_follow_their_definition) {
  under_several_schedules([] {
    for (const unsigned mask : masks) {
      const std::uint32_t predicates[rounds] = {0x12345678, 0, full_warp, mask};
      const auto [found] = words_after(vote, {}, {rounds * 32 * results}, mask, predicates);
      for (unsigned i = 0; i < rounds * 32; ++i) {
        const unsigned voted = (mask >> i % 32 & 1) == 0 ? 0 : predicates[i / 32] & mask;
        const bool in = (mask >> i % 32 & 1) != 0;
        EXPECT_EQ(found[i * results], voted);
        EXPECT_EQ(found[i * results + 1], in && voted != 0);
        EXPECT_EQ(found[i * results + 2], in && voted == mask);
      }
    }
  });
}

/// The key of a lane: few distinct ones, which differ only in their last byte.
template <class Key>
Key key_of(unsigned lane);
template <>
std::uint32_t key_of(unsigned lane) {
  return (lane * 7 % 5) << 24;
}
template <>
std::uint64_t key_of(unsigned lane) {
  return std::uint64_t{lane * 7 % 5} << 56;
}
template <>
message_128 key_of(unsigned lane) {
  return {3, std::uint64_t{lane * 7 % 5} << 56};
}

template <class Key>
__global__ void match(cell32* out, unsigned mask) {
  const unsigned lane = threadIdx.x;
  if ((mask >> lane & 1) != 0) out[lane] = __match_any_sync(mask, key_of<Key>(lane));
}

template <class Key>
class matches : public testing::Test {};
using keys = testing::Types<std::uint32_t, std::uint64_t, message_128>;
TYPED_TEST_SUITE(matches, keys);

TYPED_TEST(matches, follow_their_definition) {
  under_several_schedules([] {
    for (const unsigned mask : masks) {
      const auto [out] = words_after(match<TypeParam>, {}, {32}, mask);
      for (unsigned lane = 0; lane < 32; ++lane) {
        unsigned equal = 0;
        for (unsigned other = 0; other < 32; ++other) {
          if (lane * 7 % 5 == other * 7 % 5) equal |= 1u << other;
        }
        EXPECT_EQ(out[lane], (mask >> lane & 1) == 0 ? 0 : equal & mask);
      }
    }
  });
}

struct brought {
  std::uint32_t mine = 0, sum = 0, lanes = 0;
};
void add_up(std::span<void* const, 32> of_lanes) {
  std::uint32_t sum = 0, lanes = 0;
  for (void* const one : of_lanes) {
    if (one == nullptr) continue;
    sum += static_cast<const brought*>(one)->mine;
    ++lanes;
  }
  for (void* const one : of_lanes) {
    if (one == nullptr) continue;
    static_cast<brought*>(one)->sum += sum;
    static_cast<brought*>(one)->lanes += lanes;
  }
}
__global__ void add_up_together(cell32* out) {
  brought mine{.mine = threadIdx.x};
  for (unsigned round = 0; round < rounds; ++round)
    simt::warp_together_at(reinterpret_cast<const void*>(add_up), &mine, add_up);
  out[2 * threadIdx.x] = mine.sum;
  out[2 * threadIdx.x + 1] = mine.lanes;
}

TEST(collectives, work_of_all_lanes_is_done_once) {
  under_several_schedules([] {
    for (const unsigned threads : {32u, 20u}) {
      const auto [found] = words_after(add_up_together, {.threads_per_block = threads}, {2 * 32});
      for (unsigned i = 0; i < threads; ++i) {
        EXPECT_EQ(found[2 * i], rounds * threads * (threads - 1) / 2);
        EXPECT_EQ(found[2 * i + 1], rounds * threads);
      }
    }
  });
}

/// Four groups of interleaved lanes, each at its own pace through its own number of collectives.
__global__ void groups_side_by_side(cell32* out) {
  const unsigned lane = threadIdx.x;
  const unsigned mask = 0x11111111u << lane % 4;
  std::uint32_t sum = lane;
  for (unsigned round = 0; round <= lane % 4; ++round) {
    sum += static_cast<unsigned>(__popc(__ballot_sync(mask, lane < 16)));
    sum += __shfl_sync(mask, lane, __ffs(static_cast<int>(mask)) - 1);
    __syncwarp(mask);
  }
  out[lane] = sum;
}

TEST(collectives, groups_of_one_warp_do_not_mix) {
  under_several_schedules([] {
    const auto [out] = words_after(groups_side_by_side, {}, {32});
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(out[lane], lane + (lane % 4 + 1) * (4 + lane % 4));
  });
}

/// Lanes of several warps synchronize through a word; no lane may run ahead of its warp.
__global__ void meet(cell32* arrived, cell32* wrong) {
  device_ref mine(arrived[threadIdx.x / 32 * far]);
  for (unsigned round = 1; round <= rounds; ++round) {
    mine.fetch_add(1, memory_order::relaxed);
    __syncwarp();
    if (mine.load(memory_order::relaxed) != 32 * round) *wrong = 1;
    __syncwarp();
  }
}

TEST(collectives, syncwarp_waits_for_all_lanes_of_the_warp_and_no_other) {
  under_several_schedules([] {
    EXPECT_EQ(words_after(meet, {.threads_per_block = 96}, {3 * far, 1})[1][0], 0u);
  });
}

__global__ void meet_in_block(cell32* arrived, cell32* wrong) {
  device_ref mine(arrived[blockIdx.x * far]);
  for (unsigned round = 1; round <= rounds; ++round) {
    mine.fetch_add(1, memory_order::relaxed);
    __syncthreads();
    if (mine.load(memory_order::relaxed) != blockDim.x * round) *wrong = 1;
    __syncthreads();
  }
}

TEST(collectives, syncthreads_waits_for_all_threads_of_the_block_and_no_other) {
  under_several_schedules([] {
    const launch_shape shape{.blocks = 3, .threads_per_block = 80};
    EXPECT_EQ(words_after(meet_in_block, shape, {3 * far, 1})[1][0], 0u);
  });
}

/// Every thread in turn votes true as the only one, and then none.
__global__ void vote_alone(cell32* told) {
  for (unsigned voter = 0; voter <= blockDim.x; ++voter)
    told[threadIdx.x] = told[threadIdx.x] + (__syncthreads_or(threadIdx.x == voter) != 0);
}

TEST(collectives, syncthreads_or_tells_all_whether_one_has_voted) {
  under_several_schedules([] {
    constexpr unsigned threads = 40;
    EXPECT_EQ(words_after(vote_alone, {.threads_per_block = threads}, {threads})[0],
              std::vector<std::uint32_t>(threads, threads));
  });
}

TEST(collectives, bit_intrinsics_follow_their_definition) {
  EXPECT_EQ(__popc(0xf0f00001), 9);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(0x50), 5);
  EXPECT_EQ(__umulhi(0x80000000u, 6u), 3u);
}

// Shuffles compared with CUDA's definition of the source lane, in all modes, widths and sizes.

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
}  // namespace simt_test::collectives_test
