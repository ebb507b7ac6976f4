// Results and effects of each atomic operation, for all types, memory spaces, scopes and modes.
#include "harness.hpp"

#include <finesync/device/shared_storage.cuh>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

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

}  // namespace
}  // namespace simt_test::atomics_test
