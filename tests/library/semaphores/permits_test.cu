// Sizes and numbers of permits: the invalid ones are rejected, and the extreme ones are right.
#include "library_kernels.cuh"

#include <finesync/device/cell.cuh>
#include <finesync/host/launch.cuh>

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/locks/exploration.hpp>

#include <stdexcept>
#include <string>

namespace finesync::test::permits_test {
namespace {

template <class Semaphore>
std::string refusal_of_size(unsigned size) {
  try {
    const Semaphore semaphore(size);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

template <class Ref>
__global__ void ask_for(Ref semaphore, unsigned permits) {
  auto acquisition = semaphore.enqueue(permits);
  while (!semaphore.try_enter(acquisition)) semaphore.wait(acquisition);
  while (!semaphore.leave(acquisition)) semaphore.wait(acquisition);
}

template <class Semaphore>
std::string refusal_of_permits(unsigned size, unsigned permits) {
  const Semaphore semaphore(size);
  try {
    launch_cooperative(ask_for<decltype(semaphore.ref())>, {.threads_per_block = 1},
                       semaphore.ref(), permits);
  } catch (const std::logic_error& problem) {
    return problem.what();
  }
  return "";
}

template <class Semaphore>
class permits : public ::testing::Test {};
TYPED_TEST_SUITE(permits, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(permits, are_1_to_2_31_in_all) {
  constexpr unsigned most = 1u << 31;
  EXPECT_EQ(refusal_of_size<TypeParam>(0), "a semaphore of size 0: 1 to 2147483648 are possible");
  EXPECT_EQ(refusal_of_size<TypeParam>(most + 1),
            "a semaphore of size 2147483649: 1 to 2147483648 are possible");
  EXPECT_EQ(refusal_of_size<TypeParam>(1), "");
  EXPECT_EQ(refusal_of_size<TypeParam>(most), "");
}

TYPED_TEST(permits, are_taken_1_to_the_size_at_a_time) {
  const std::string rule = "a semaphore gives out 1 to its size of permits";
  for (const unsigned size : {1u, 3u, 1u << 31}) {
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, 0), rule) << size;
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, size + 1), rule) << size;
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, 1), "") << size;
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, size), "") << size;
  }
}

// Two times 2^31 are 0 in 32 bits.
TYPED_TEST(permits, of_the_largest_size_are_not_had_twice) {
  const library writers{
      .blocks = 3, .threads_per_block = 1, .size = 1u << 31, .rounds = 4, .counted = false};
  EXPECT_EQ(
      failing_seeds(simt::memory_kind::strong, 100, [&] { return serves_all<TypeParam>(writers); }),
      0u);
}

using small_ticket_ref = ticket_semaphore_ref<no_backoff, 4>;

__global__ void age(small_ticket_ref::state* semaphore, std::uint64_t permits) {
  semaphore->next = permits;
  semaphore->given_back = permits;
  for (auto& line : semaphore->lines) line.returned = permits;
}

/// A ticket semaphore that has given out `by` permits before. All of them are back.
class aged_semaphore {
 public:
  aged_semaphore(unsigned size, std::uint64_t by) : size_(size), state_(1) {
    launch_independent(age, {1, 1}, state_.device_data(), by);
  }
  small_ticket_ref ref() const { return {state_.device_data(), size_}; }

 private:
  unsigned size_;
  zeroed_states<small_ticket_ref::state> state_;
};

TEST(ticket_semaphores, go_on_after_2_32_permits) {
  for (const unsigned size : {1u, 3u}) {
    for (const unsigned before : {0u, 7u, 40u}) {
      const auto right = [&] {
        aged_semaphore aged(size, (std::uint64_t{1} << 32) - before);
        return serves_all(aged, {.size = size});
      };
      EXPECT_EQ(failing_seeds(simt::memory_kind::strong, 40, right), 0u) << size << ", " << before;
    }
  }
}

}  // namespace
}  // namespace finesync::test::permits_test
