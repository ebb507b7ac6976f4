// Results and effects of each atomic operation, for all types, memory spaces, scopes and modes.
#include "harness.hpp"
#include "races.hpp"

#include <finesync/device/shared_storage.cuh>

#include <algorithm>
#include <limits>

namespace simt_test::atomics_test {
namespace {

enum class op { exchange, add, and_, or_, xor_, min, max };

template <class T, scope Scope>
T perform(op what, cell<T>& target, T operand) {
  const atomic_ref<T, Scope> ref(target);
  switch (what) {
    case op::exchange:
      return ref.exchange(operand, memory_order::relaxed);
    case op::add:
      return ref.fetch_add(operand, memory_order::relaxed);
    case op::and_:
      return ref.fetch_and(operand, memory_order::relaxed);
    case op::or_:
      return ref.fetch_or(operand, memory_order::relaxed);
    case op::xor_:
      return ref.fetch_xor(operand, memory_order::relaxed);
    case op::min:
      return ref.fetch_min(operand, memory_order::relaxed);
    default:
      return ref.fetch_max(operand, memory_order::relaxed);
  }
}

/// Globally at device scope and in shared memory at block scope: the operation is on word 0,
/// between neighbours that must not change.
template <class T>
__global__ void operate(op what, T initial, T operand, cell<T>* global, cell<T>* out) {
  cell<T>* shared = &shared_storage<cell<T>>();
  for (unsigned i = 0; i < 3; ++i) {
    global[i] = i == 1 ? initial : T{77};
    shared[i] = i == 1 ? initial : T{77};
  }
  out[0] = perform<T, scope::device>(what, global[1], operand);
  out[1] = perform<T, scope::block>(what, shared[1], operand);
  out[2] = global[1];
  out[3] = shared[1];
  out[4] = global[0] == T{77} && global[2] == T{77} && shared[0] == T{77} && shared[2] == T{77};
}

template <class T>
void expect_leaves(op what, std::type_identity_t<T> initial, std::type_identity_t<T> operand,
                   std::type_identity_t<T> left) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    const simt::scoped_settings use(simt::random_schedule(5, memory));
    const buffer<T> global(3);
    const buffer<T> out(5);
    launch_cooperative(operate<T>, {.threads_per_block = 1, .shared_bytes = 3 * sizeof(T)}, what,
                       initial, operand, global.device_data(), out.device_data());
    EXPECT_EQ(out.to_host(), (std::vector<T>{initial, initial, left, left, 1}))
        << "operation " << static_cast<int>(what);
  }
}

template <class T>
class atomics : public testing::Test {};
using integers = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(atomics, integers);

TYPED_TEST(atomics, exchange) {
  expect_leaves<TypeParam>(op::exchange, 5, 9, 9);
}

TYPED_TEST(atomics, bits) {
  expect_leaves<TypeParam>(op::and_, 0b1100, 0b1010, 0b1000);
  expect_leaves<TypeParam>(op::or_, 0b1100, 0b1010, 0b1110);
  expect_leaves<TypeParam>(op::xor_, 0b1100, 0b1010, 0b0110);
  constexpr TypeParam all = static_cast<TypeParam>(~TypeParam{0});
  expect_leaves<TypeParam>(op::xor_, all, 1, static_cast<TypeParam>(all ^ 1));
  expect_leaves<TypeParam>(op::and_, all, all, all);
}

TYPED_TEST(atomics, addition_wraps_around) {
  using limits = std::numeric_limits<TypeParam>;
  constexpr TypeParam minus_one = static_cast<TypeParam>(~TypeParam{0});
  expect_leaves<TypeParam>(op::add, 5, 9, 14);
  expect_leaves<TypeParam>(op::add, limits::max(), 1, limits::min());
  expect_leaves<TypeParam>(op::add, 0, minus_one, minus_one);
  expect_leaves<TypeParam>(op::add, 3, minus_one, 2);
}

TYPED_TEST(atomics, minimum_and_maximum_know_the_sign) {
  using limits = std::numeric_limits<TypeParam>;
  expect_leaves<TypeParam>(op::min, 5, 9, 5);
  expect_leaves<TypeParam>(op::min, 9, 5, 5);
  expect_leaves<TypeParam>(op::max, 5, 9, 9);
  expect_leaves<TypeParam>(op::max, 9, 5, 9);
  expect_leaves<TypeParam>(op::min, limits::max(), limits::min(), limits::min());
  expect_leaves<TypeParam>(op::max, limits::max(), limits::min(), limits::max());
  constexpr TypeParam all_bits = static_cast<TypeParam>(~TypeParam{0});
  constexpr bool is_negative = all_bits < TypeParam{1};
  expect_leaves<TypeParam>(op::min, 1, all_bits, is_negative ? all_bits : TypeParam{1});
  expect_leaves<TypeParam>(op::max, 1, all_bits, is_negative ? TypeParam{1} : all_bits);
}

template <class T>
__global__ void compare_twice(cell<T>* word, cell<T>* out) {
  const atomic_ref<T, scope::device> ref(*word);
  T expected = 10;
  out[0] = ref.compare_exchange(expected, 20, memory_order::acq_rel);
  out[1] = expected;
  out[2] = *word;
  expected = static_cast<T>(~T{0});
  out[3] = ref.compare_exchange(expected, 30, memory_order::acq_rel);
  out[4] = expected;
  out[5] = *word;
}

TYPED_TEST(atomics, compare_exchange_tells_what_it_found) {
  using T = TypeParam;
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    const simt::scoped_settings use(simt::random_schedule(5, memory));
    buffer<T> word(1);
    const T initial[] = {10};
    word.copy_from(initial);
    const buffer<T> out(6);
    launch_cooperative(compare_twice<T>, {.threads_per_block = 1}, word.device_data(),
                       out.device_data());
    EXPECT_EQ(out.to_host(), (std::vector<T>{1, 10, 20, 0, 20, 20}));
  }
}

template <class T>
__global__ void load_and_store(cell<T>* word, cell<T>* out) {
  const atomic_ref<T, scope::device> ref(*word);
  ref.store(std::numeric_limits<T>::min(), memory_order::seq_cst);
  out[0] = ref.load(memory_order::seq_cst);
  ref.store(std::numeric_limits<T>::max(), memory_order::relaxed);
  out[1] = ref.load(memory_order::relaxed);
}

TYPED_TEST(atomics, load_finds_what_was_stored) {
  using T = TypeParam;
  const buffer<T> word(1);
  const buffer<T> out(2);
  launch_cooperative(load_and_store<T>, {.threads_per_block = 1}, word.device_data(),
                     out.device_data());
  EXPECT_EQ(out.to_host(),
            (std::vector<T>{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}));
}

template <class T>
__global__ void draw_tickets(cell<T>* next, cell<T>* tickets) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  tickets[me] = atomic_ref<T, scope::device>(*next).fetch_add(1, memory_order::relaxed);
}

TYPED_TEST(atomics, concurrent_additions_return_each_value_once) {
  using T = TypeParam;
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const simt::scoped_settings use(simt::random_schedule(seed, memory));
      auto next = buffer<T>::zeroed(1);
      const buffer<T> tickets(128);
      launch_cooperative(draw_tickets<T>, {.blocks = 2, .threads_per_block = 64},
                         next.device_data(), tickets.device_data());
      std::vector<T> drawn = tickets.to_host();
      EXPECT_FALSE(std::is_sorted(drawn.begin(), drawn.end()));
      std::sort(drawn.begin(), drawn.end());
      for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(drawn[i], T{} + static_cast<T>(i));
    }
  }
}

// CUDA's own atomic functions and fences, and operators of cells: what they compute, and what they
// order.

constexpr launch_shape two_blocks{.blocks = 2, .threads_per_block = 64};
constexpr std::uint32_t threads = 128;

__global__ void each_function(cell32* words) {
  const std::uint32_t me = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&words[0], 2u);
  atomicSub(&words[1], 3);
  atomicMax(&words[2], me);
  atomicMin(&words[3], me);
  atomicOr(&words[4], 1u << me % 32);
  atomicXor(&words[5], 1u << me % 31);
  atomicAnd(&words[6], 0u);
  atomicInc(&words[7], 5u);
  atomicDec(&words[8], 5u);
  if (atomicCAS(&words[9], 0u, 7u) == 0) atomicAdd(&words[10], 1u);
  if (atomicExch(&words[11], 1u) == 0) atomicAdd_system(&words[12], 1u);
  atomicAdd_block(&words[13 + blockIdx.x], 1u);
}

TEST(cuda_atomics, compute_what_they_do_in_cuda) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    const simt::scoped_settings use(simt::random_schedule(5, memory));
    const auto words = words_after(each_function, two_blocks, {15})[0];
    EXPECT_EQ(words, (std::vector<std::uint32_t>{
                         2 * threads, 0u - 3 * threads, threads - 1, 0, 0xffffffff,
                         /* threads 0 to 127, of which 124 pair up four by four */ 0xf, 0,
                         threads % 6, (6 - threads % 6) % 6, 7, 1, 1, 1, 64, 64}));
  }
}

__global__ void add_numbers(cell<float>* single, cell<double>* twice, std::int32_t* raw) {
  atomicAdd(single, 0.5f);
  atomicAdd(twice, 0.25);
  atomicMin(raw, -static_cast<std::int32_t>(threadIdx.x));
}

TEST(cuda_atomics, take_other_numbers_and_plain_pointers) {
  const auto single = buffer<float>::zeroed(1);
  const auto twice = buffer<double>::zeroed(1);
  const auto raw = buffer<std::int32_t>::zeroed(1);
  const simt::scoped_settings use(simt::random_schedule(2));
  launch_cooperative(add_numbers, two_blocks, single.device_data(), twice.device_data(),
                     raw.raw_pointer());
  EXPECT_EQ(single.to_host()[0], 64.0f);
  EXPECT_EQ(twice.to_host()[0], 32.0);
  EXPECT_EQ(raw.to_host()[0], -63);
}

template <bool Fenced>
__global__ void hand_over(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 5;
    if (Fenced) __threadfence();
    atomicExch(&words[far], 1u);
  } else {
    while (atomicAdd(&words[far], 0u) == 0) {
    }
    __threadfence();
    words[2 * far] = words[0] + 1u;
  }
}
__global__ void hand_over_within_block(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 5;
    __threadfence_block();
    atomicExch(&words[far], 1u);
  } else {
    while (atomicAdd(&words[far], 0u) == 0) {
    }
    __threadfence_block();
    words[2 * far] = words[0] + 1u;
  }
}

unsigned stale_seeds(body kernel) {
  return wrong_seeds(100, simt::memory_kind::weak, [&] {
    return words_after(kernel, {.blocks = 2, .threads_per_block = 1}, {3 * far})[0][2 * far] != 6;
  });
}

TEST(cuda_fences, order_what_atomics_do_not) {
  EXPECT_EQ(race_of(hand_over<true>, 2), "");
  EXPECT_EQ(stale_seeds(hand_over<true>), 0u);
  expect_race(race_of(hand_over<false>, 2), {"missing: a device-scope release by block 0"});
  EXPECT_GT(stale_seeds(hand_over<false>), 0u);
}

TEST(cuda_fences, of_a_block_order_nothing_between_blocks) {
  expect_race(race_of(hand_over_within_block, 2), {"narrower scope", "device scope"});
  EXPECT_GT(stale_seeds(hand_over_within_block), 0u);
}

__global__ void add_plainly(cell32* words) {
  words[0] += 1u;
}
__global__ void add_atomically(cell32* words) {
  atomicAdd(&words[0], 1u);
}
__global__ void add_within_block(cell32* words) {
  atomicAdd_block(&words[0], 1u);
}

TEST(cuda_atomics, are_atomic_in_their_scope_alone) {
  EXPECT_EQ(race_of(add_atomically, 2), "");
  expect_race(race_of(add_within_block, 2), {"both are atomic; missing: device scope in both"});
}

TEST(cells, add_by_a_load_and_a_store) {
  expect_race(race_of(add_plainly, 2), {"atomics_test.cpp:", "plain"});
}

__global__ void each_operator(cell32* words) {
  words[0] += 7;
  words[1] -= 1;
  ++words[2];
  words[3] = words[2]++;
  --words[4];
  words[5] = words[4]--;
  words[6] |= 6u;
  words[6] &= 5u;
  words[6] ^= 1u;
  words[6] <<= 2;
  words[6] >>= 1;
  words[7] += words[6] * 3u;
  words[7] %= 10u;
  words[8] = words[7] > 3u ? words[7] : 1u;
  words[9] = words[7] < 3u ? 1u : words[8];
}

TEST(cells, have_the_operators_of_their_type) {
  const simt::scoped_settings use(round_robin());
  const auto words = words_after(each_operator, {.threads_per_block = 1}, {10})[0];
  EXPECT_EQ(words, (std::vector<std::uint32_t>{7, 0u - 1, 2, 1, 0u - 2, 0u - 1, 10, 0, 1, 1}));
}

}  // namespace
}  // namespace simt_test::atomics_test
