// Value-passing locks with words of every size. Each section uses one byte; unused bytes must not
// tear the word.
#include "cluster_fixture.cuh"

#include <finesync/device/watchdog.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/value_passing_lock.cuh>

namespace finesync::test::carried_word_gpu_test {
namespace {

template <unsigned Bytes>
struct word_of {
  unsigned char part[Bytes];
};

template <unsigned Bytes>
using lock_of = value_passing_lock<scope::device, word_of<Bytes>, no_backoff, 4>;

/// Counts in byte `At`; the other bytes are written and never read.
template <unsigned At>
struct count_in {
  template <class Word>
  __device__ void operator()(Word& word) const {
    const auto next = static_cast<unsigned char>(word.part[At] + 1);
    for (unsigned char& each : word.part) each = 0x55;
    word.part[At] = next;
  }
};

/// All threads, or one of each warp with the other lanes idle.
template <unsigned Bytes, unsigned At>
__global__ void count_by_parts(lock_table_ref<lock_of<Bytes>> locks, unsigned rounds, bool alone,
                               cell32* counted, watchdog_ref watchdog) {
  for (unsigned i = 0; i < rounds; ++i) {
    bool ended = true;
    if (!alone) {
      ended = run_exclusive(locks[0], count_in<At>{}, watchdog);
    } else if (threadIdx.x % 32 == 0) {
      ended = run_exclusive<other_lanes::idle>(locks[0], count_in<At>{}, watchdog);
    }
    if (!ended) return;
    atomic_ref<std::uint32_t, scope::device>(*counted).fetch_add(
        !alone || threadIdx.x % 32 == 0 ? 1 : 0, memory_order::relaxed);
  }
}

template <unsigned Bytes, unsigned At>
__global__ void read_part(lock_table_ref<lock_of<Bytes>> locks, cell32* part) {
  *part = locks[0].get().part[At];
}

template <unsigned Bytes, unsigned At>
void expect_whole() {
  for (const bool alone : {false, true}) {
    const lock_table<lock_of<Bytes>> locks(1, lock_layout::packed);
    const buffer<std::uint32_t> counted = zeroed_words(1);
    const buffer<std::uint32_t> part = zeroed_words(1);
    const watchdog timeout;
    launch_cooperative(
        count_by_parts<Bytes, At>,
        {.blocks = 2 * static_cast<unsigned>(current_gpu().sms), .threads_per_block = 64},
        locks.ref(), alone ? 100u : 5u, alone, counted.device_data(), timeout.ref());
    launch_independent(read_part<Bytes, At>, {.blocks = 1, .threads_per_block = 1}, locks.ref(),
                       part.device_data());
    EXPECT_EQ(part.to_host()[0], counted.to_host()[0] % 256)
        << Bytes << " bytes, byte " << At << (alone ? ", alone" : "");
    EXPECT_FALSE(timeout.fired());
  }
}

/// The first byte, the last, and the first of the second and of the third 32 bits.
template <unsigned Bytes>
void expect_whole_words() {
  expect_whole<Bytes, 0>();
  if constexpr (Bytes > 1) expect_whole<Bytes, Bytes - 1>();
  if constexpr (Bytes > 5) expect_whole<Bytes, 4>();
  if constexpr (Bytes > 9) expect_whole<Bytes, 8>();
}

class carried_word_on_gpu : public on_gpu {};

TEST_F(carried_word_on_gpu, of_32_bits_or_less_is_whole_whatever_is_used) {
  expect_whole_words<1>();
  expect_whole_words<2>();
  expect_whole_words<3>();
  expect_whole_words<4>();
}

TEST_F(carried_word_on_gpu, of_64_bits_or_less_is_whole_whatever_is_used) {
  expect_whole_words<5>();
  expect_whole_words<6>();
  expect_whole_words<7>();
  expect_whole_words<8>();
}

TEST_F(carried_word_on_gpu, of_96_bits_or_less_is_whole_whatever_is_used) {
  expect_whole_words<9>();
  expect_whole_words<10>();
  expect_whole_words<11>();
  expect_whole_words<12>();
}

}  // namespace
}  // namespace finesync::test::carried_word_gpu_test
