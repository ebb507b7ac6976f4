// Memory that is released stays apart until the range is used up.
#include <simt/arena.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <new>

namespace cudart_test::arena_test {

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// In a range of 64 MiB.
[[noreturn]] void use_up() {
  const rlimit limit{120 * mib, 120 * mib};
  setrlimit(RLIMIT_AS, &limit);
  simt::arena memory;
  memory.keep_released();
  auto* const first = static_cast<std::byte*>(memory.allocate(40 * mib));
  memory.release(first);
  void* const second = memory.allocate(8 * mib);
  const bool is_apart = second > first && !memory.holds(first, 1);
  void* const third = memory.allocate(20 * mib);
  void* const fourth = memory.allocate(18 * mib);
  const bool is_reused = third == first && fourth == first + 20 * mib + 256;
  const bool is_usable = memory.holds(fourth, 256) && memory.holds(second, 256) &&
                         !memory.holds(static_cast<std::byte*>(fourth) + 18 * mib, 1);
  memory.release(third);
  memory.release(fourth);
  const bool is_joined = memory.allocate(39 * mib) == first;
  memory.release(second);
  const bool is_last = memory.allocate(24 * mib) == first + 39 * mib + 256;
  try {
    memory.allocate(2 * mib);
  } catch (const std::bad_alloc&) {
    std::_Exit(is_apart && is_reused && is_usable && is_joined && is_last ? 0 : 2);
  }
  std::_Exit(1);
}

TEST(arena, reuses_what_is_released_when_all_is_used) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_up(), testing::ExitedWithCode(0), "");
}

}  // namespace

}  // namespace cudart_test::arena_test
