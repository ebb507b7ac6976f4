// Bytes that are set, of a range and of an arena's allocations.
#include <simt/arena.hpp>
#include <simt/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cudart_test::set_bytes_test {

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t range = 96 * kib;

/// Both do the same; one of them has a byte for a bit.
struct both {
  simt::set_bytes tried{range};
  std::vector<bool> wanted = std::vector<bool>(range);

  void set(std::uint64_t at, std::size_t bytes, bool are_set) {
    for (std::size_t i = 0; i < bytes; ++i) wanted[at + i] = are_set;
    if (!are_set)
      tried.clear(at, bytes);
    else if (bytes <= simt::set_bytes::most_at_once)
      tried.add(at, bytes);
    else
      tried.fill(at, bytes);
  }
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    tried.copy(to, from, bytes);
    const bool overlap = to < from + bytes && from < to + bytes;
    for (std::size_t i = 0; i < bytes; ++i) wanted[to + i] = overlap || wanted[from + i];
  }
  bool is_equal() const {
    for (std::size_t at = 0; at < range; ++at)
      if (tried.has(at, 1) != wanted[at]) return false;
    return true;
  }
};

TEST(set_bytes, are_those_that_were_set_copied_and_not_cleared) {
  both all;
  simt::random_source random(1);
  for (int i = 0; i < 150; ++i) {
    const std::size_t most = i % 3 == 0 ? 16 : i % 3 == 1 ? 300 : 70 * kib;
    const std::size_t bytes = 1 + random.below(static_cast<std::uint32_t>(most));
    const auto at = [&] { return random.below(static_cast<std::uint32_t>(range - bytes + 1)); };
    const std::uint32_t what = random.below(4);
    if (what == 0) all.copy(at(), at(), bytes);
    if (what > 0) all.set(at(), bytes, what != 1);
    ASSERT_TRUE(all.is_equal()) << "step " << i;
  }
}

TEST(set_bytes, are_looked_at_together) {
  simt::set_bytes some(range);
  some.add(21, 3);
  EXPECT_TRUE(some.has(21, 3));
  EXPECT_FALSE(some.has(20, 4));
  EXPECT_FALSE(some.has(21, 4));
  EXPECT_TRUE(some.has_any(8, 14));
  EXPECT_FALSE(some.has_any(5, 16));
  EXPECT_FALSE(some.has_any(24, 16));
  EXPECT_TRUE(some.has_any_of(16, 8));
  EXPECT_FALSE(some.has_any_of(24, kib));
}

struct watched_arena {
  simt::arena memory;
  std::byte* const other = static_cast<std::byte*>(memory.allocate(kib));
  std::byte* const at = static_cast<std::byte*>(memory.allocate(kib));
  watched_arena() { memory.watch(at); }
};

TEST(watched_allocations, begin_unset_and_all_others_are_set) {
  watched_arena all;
  EXPECT_TRUE(all.memory.has_unset(all.at, 4));
  EXPECT_TRUE(all.memory.is_untouched(all.at + 8));
  EXPECT_FALSE(all.memory.has_unset(all.other + 8, 4));
  EXPECT_TRUE(all.memory.has_unset(all.at, 4));  // that of `other` is not all around it
  all.memory.note_store(all.at, 4);
  EXPECT_FALSE(all.memory.has_unset(all.at, 4));
  EXPECT_TRUE(all.memory.has_unset(all.at, 8));
  EXPECT_FALSE(all.memory.are_unset(all.at, 8));
  EXPECT_TRUE(all.memory.are_unset(all.at + 4, 8));
  EXPECT_FALSE(all.memory.is_untouched(all.at + 8));
}

TEST(watched_allocations, begin_anew_in_memory_that_was_released) {
  watched_arena all;
  all.memory.note_set(all.at, kib);
  all.memory.release(all.at);
  all.memory.release(all.other);
  ASSERT_EQ(all.memory.allocate(2 * kib), all.other);
  all.memory.watch(all.other);
  EXPECT_TRUE(all.memory.is_untouched(all.other));
}

TEST(watched_allocations, are_set_as_what_is_copied_there) {
  watched_arena all;
  std::byte* const more = static_cast<std::byte*>(all.memory.allocate(kib));
  all.memory.watch(more);
  all.memory.note_store(all.at + 4, 4);
  all.memory.note_copy(more, all.at, 8);
  EXPECT_TRUE(all.memory.has_unset(more, 4));
  EXPECT_FALSE(all.memory.has_unset(more + 4, 4));
  all.memory.note_copy(more, all.other, 4);
  EXPECT_FALSE(all.memory.has_unset(more, 8));
}

}  // namespace

}  // namespace cudart_test::set_bytes_test
