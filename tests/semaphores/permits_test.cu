// Invalid sizes and numbers of permits are rejected.
#include <finesync/device/cell.cuh>
#include <finesync/host/launch.cuh>

#include <tests/catalogue/semaphores.hpp>

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

}  // namespace
}  // namespace finesync::test::permits_test
