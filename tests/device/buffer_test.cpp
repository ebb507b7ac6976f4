// Buffers: data copied in are copied out unchanged, and impossible sizes are rejected.
#include <finesync/host/buffer.cuh>

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace finesync {
namespace {

using words = std::vector<int>;

TEST(buffer, returns_what_was_copied_to_it) {
  buffer<int> memory(3);
  memory.copy_from(words{1, 2, 3});
  EXPECT_EQ(memory.to_host(), (words{1, 2, 3}));
  words kept(3);
  memory.copy_to(kept);
  EXPECT_EQ(kept, (words{1, 2, 3}));
  memory.fill_bytes(0xff);
  EXPECT_EQ(memory.to_host(), (words{-1, -1, -1}));
}

TEST(buffer, takes_no_copy_of_another_size) {
  buffer<int> memory(3);
  EXPECT_THROW(memory.copy_from(words{1, 2}), std::out_of_range);
  EXPECT_THROW(memory.copy_from(words{1, 2, 3, 4}), std::out_of_range);
  words larger(4);
  EXPECT_THROW(memory.copy_to(larger), std::out_of_range);
}

TEST(buffer, has_one_owner) {
  buffer<int> first(2);
  first.copy_from(words{4, 5});
  buffer<int> second(std::move(first));
  EXPECT_EQ(second.to_host(), (words{4, 5}));
  buffer<int> third(7);
  third = std::move(second);
  EXPECT_EQ(third.to_host(), (words{4, 5}));
}

TEST(buffer, may_be_of_nothing) {
  buffer<int> nothing(0);
  nothing.fill_bytes(1);
  nothing.copy_from(words{});
  EXPECT_TRUE(nothing.to_host().empty());
}

}  // namespace
}  // namespace finesync
