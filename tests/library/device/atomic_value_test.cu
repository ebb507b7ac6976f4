// atomic_ref of types that are not integers.
#include <finesync/device/atomic_value.cuh>
#include <finesync/device/global_atomic_ref.cuh>

#include <gtest/gtest.h>
#include <tests/executor/simt/litmus.hpp>

#include <limits>

namespace {

using namespace simt_test;

enum class place : std::uint32_t { free, taken };
enum class colour : std::uint8_t { none, green };

/// Each thread adds `steps` times; small whole numbers have no rounding.
struct adds {
  template <class T>
  static void once(cell<T>& sum) {
    atomic_ref<T, scope::device>(sum).fetch_add(T{1}, memory_order::relaxed);
  }
};
struct loads_then_stores {
  template <class T>
  static void once(cell<T>& sum) {
    const atomic_ref<T, scope::device> all(sum);
    all.store(all.load(memory_order::relaxed) + T{1}, memory_order::relaxed);
  }
};

template <class T, class How>
__global__ void add_up(cell<T>* sum) {
  for (unsigned i = 0; i < 3; ++i) How::once(*sum);
}

template <class T, class How>
bool sum_is_right(std::uint64_t seed) {
  const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::strong));
  auto sum = buffer<T>::zeroed(1);
  launch_cooperative(add_up<T, How>, {.blocks = 2, .threads_per_block = 33}, sum.device_data());
  stream().synchronize();
  return sum.to_host()[0] == T{2 * 33 * 3};
}

template <class T, class How>
unsigned wrong_sums() {
  unsigned wrong = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) wrong += !sum_is_right<T, How>(seed);
  return wrong;
}

TEST(atomic_value, adds_floating_point_numbers) {
  EXPECT_EQ((wrong_sums<float, adds>()), 0u);
  EXPECT_EQ((wrong_sums<double, adds>()), 0u);
}

TEST(atomic_value, a_sum_in_two_steps_is_rejected) {
  EXPECT_GT((wrong_sums<float, loads_then_stores>()), 0u);
  EXPECT_GT((wrong_sums<double, loads_then_stores>()), 0u);
}

/// One thread takes the place; it tells so by a byte, whose store orders its data before it.
template <class Flag, memory_order Release>
__global__ void take_and_tell(cell<place>* which, cell<std::uint32_t>* data, cell<Flag>* flag,
                              cell<std::uint32_t>* stale, Flag told) {
  const atomic_ref<Flag, scope::device> news(*flag);
  auto found = place::free;
  if (atomic_ref<place, scope::device>(*which).compare_exchange(found, place::taken,
                                                                memory_order::relaxed)) {
    *data = 1u;
    news.store(told, Release);
  } else if (found != place::taken) {
    *stale = 1u;
  }
  for (unsigned poll = 0; poll < 40; ++poll)
    if (news.load(memory_order::acquire) == told && *data != 1u) *stale = 1u;
}

template <class Flag, memory_order Release>
unsigned stale_reads(Flag told) {
  unsigned stale_runs = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    auto which = buffer<place>::zeroed(1);
    auto data = buffer<std::uint32_t>::zeroed(1);
    auto flag = buffer<Flag>::zeroed(1);
    auto stale = buffer<std::uint32_t>::zeroed(1);
    launch_cooperative(take_and_tell<Flag, Release>, {.blocks = 3, .threads_per_block = 1},
                       which.device_data(), data.device_data(), flag.device_data(),
                       stale.device_data(), told);
    stream().synchronize();
    stale_runs += stale.to_host()[0];
  }
  return stale_runs;
}

TEST(atomic_value, bytes_and_enumerations_hand_data_over) {
  EXPECT_EQ((stale_reads<bool, memory_order::release>(true)), 0u);
  EXPECT_EQ((stale_reads<colour, memory_order::release>(colour::green)), 0u);
}

TEST(atomic_value, a_relaxed_byte_is_rejected) {
  EXPECT_GT((stale_reads<bool, memory_order::relaxed>(true)), 0u);
}

__global__ void compare_bytes(cell<float>* numbers, cell<std::uint32_t>* results) {
  const atomic_ref<float, scope::device> at_zero(numbers[0]);
  const atomic_ref<float, scope::device> at_none(numbers[1]);
  at_none.store(std::numeric_limits<float>::quiet_NaN(), memory_order::relaxed);
  float expected = -0.0f;
  results[0] = at_zero.compare_exchange(expected, 1.0f, memory_order::relaxed);
  float same = at_none.load(memory_order::relaxed);
  results[1] = at_none.compare_exchange(same, 2.0f, memory_order::relaxed);
  results[2] = at_none.exchange(3.0f, memory_order::relaxed) == 2.0f;
}

TEST(atomic_value, compares_bytes_not_numbers) {
  auto numbers = buffer<float>::zeroed(2);
  auto results = buffer<std::uint32_t>::zeroed(3);
  launch_cooperative(compare_bytes, {.blocks = 1, .threads_per_block = 1}, numbers.device_data(),
                     results.device_data());
  stream().synchronize();
  EXPECT_EQ(results.to_host(), (std::vector<std::uint32_t>{0, 1, 1}));
}

// The loads of a global_atomic_ref: which of them may return overwritten values, and until when.

enum class look { stale, fresh, stale_behind_fence };

/// A word and, on another line, a flag.
constexpr unsigned flag = 16;

/// The first block writes; the last loads before and after it has seen the write. It sees the write
/// in the word, which renews its cached copy, or in the flag, which does not.
template <look Which>
__global__ void look_again(cell64* memory, cell32* old) {
  const global_atomic_ref word(*memory);
  const global_atomic_ref seen(memory[Which == look::fresh ? 0 : flag]);
  if (is_first()) {
    word.store(1);
    fence<memory_order::release, scope::device>();
    global_atomic_ref(memory[flag]).store(1);
  }
  if (!is_second()) return;
  static_cast<void>(word.load_cached());
  bool is_written = false;
  for (unsigned poll = 0; poll < 60 && !is_written; ++poll) is_written = seen.load() == 1;
  if (!is_written) return;
  if constexpr (Which == look::stale_behind_fence) fence<memory_order::acquire, scope::device>();
  const std::uint64_t found = Which == look::fresh ? word.load() : word.load_cached();
  if (found == 0) *old = 1;
}

template <look Which>
bool old_value_returns() {
  auto memory = buffer<std::uint64_t>::zeroed(flag + 1);
  const buffer<std::uint32_t> old = zeroed_words(1);
  launch_cooperative(look_again<Which>, two_blocks, memory.device_data(), old.device_data());
  return old.to_host()[0] != 0;
}

TEST(global_atomic_ref, may_be_as_the_sm_has_it) {
  expect_only_weak_memory_breaks(old_value_returns<look::stale>);
}

TEST(global_atomic_ref, is_never_older_by_its_usual_load) {
  expect_nothing_breaks(old_value_returns<look::fresh>);
}

TEST(global_atomic_ref, is_not_older_than_what_a_fence_has_acquired) {
  expect_nothing_breaks(old_value_returns<look::stale_behind_fence>);
}

}  // namespace
