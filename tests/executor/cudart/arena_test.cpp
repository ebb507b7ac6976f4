// Memory that is released stays apart until the range is used up. Large memory is garbage, but
// takes none of the computer's until it is written.
#include <simt/arena.hpp>
#include <simt/settings.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <set>

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

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * 4096;
}

std::uint64_t word_at(const void* memory, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const std::byte*>(memory) + offset, sizeof word);
  return word;
}

TEST(arena, takes_no_memory_for_what_is_not_written) {
  simt::arena memory;
  memory.overcommit();
  const std::size_t before = resident_bytes();
  auto* const large = static_cast<std::byte*>(memory.allocate(4096 * mib));
  auto* const zeros = static_cast<std::byte*>(
      memory.allocate(4096 * mib, {}, simt::arena::granule, simt::arena::content::zeros));
  EXPECT_LT(resident_bytes() - before, 200 * mib);
  EXPECT_TRUE(memory.holds(large + 4096 * mib - 8, 8));
  EXPECT_EQ(word_at(zeros, 0) | word_at(zeros, 2048 * mib) | word_at(zeros, 4096 * mib - 8), 0u);
  std::memset(large + 2048 * mib, 1, 8);
  EXPECT_EQ(word_at(large, 2048 * mib), 0x0101010101010101u);
}

TEST(arena, has_garbage_that_differs_for_each_word_allocation_and_seed) {
  constexpr std::size_t bytes = 1024 * mib;
  std::set<std::uint64_t> found;
  std::size_t words = 0;
  for (const unsigned seed : {1, 2}) {
    simt::settings how;
    how.seed = seed;
    const simt::scoped_settings use(how);
    simt::arena memory;
    for (int allocation = 0; allocation < 2; ++allocation) {
      const void* const large = memory.allocate(bytes, {}, simt::arena::granule);
      for (std::size_t at = 8; at < bytes; at *= 2, ++words) found.insert(word_at(large, at));
      for (std::size_t at = 8; at < 8192; at *= 2, ++words)
        found.insert(word_at(large, bytes - at));
    }
  }
  EXPECT_EQ(found.size(), words);
}

TEST(arena, has_garbage_where_released_memory_was) {
  simt::arena memory;
  for (int i = 0; i < 3; ++i) {
    auto* const large = static_cast<std::byte*>(memory.allocate(64 * mib));
    EXPECT_NE(word_at(large, 32 * mib), 0u);
    std::memset(large, 0, 64 * mib);
    memory.release(large);
  }
}

}  // namespace

}  // namespace cudart_test::arena_test
