// Buffers: data copied in are copied out unchanged, and impossible sizes are rejected.
#include <tests/library/harness/harness.hpp>

#include <thread>

namespace finesync::test {
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

TEST(buffer, has_nothing_of_a_run_before_unless_it_is_kept) {
  buffer<int> forgotten(2);
  buffer<int> input(2);
  buffer<int> moved(2);
  zeroed_states<cell<int>> state(2);
  { const buffer<int> freed(2); }
  forgotten.copy_from(words{1, 2});
  input.keep_copy_of(words{3, 4});
  moved.copy_from(words{5, 6});
  const buffer<int> now = std::move(moved);
  poison_scratch(1);
  const words first = forgotten.to_host();
  EXPECT_NE(first, (words{1, 2}));
  EXPECT_EQ(now.to_host(), first);
  EXPECT_EQ(input.to_host(), (words{3, 4}));
  const auto words_of_state =
      buffer<int>::borrowed(reinterpret_cast<int*>(state.device_data()), 2, {});
  EXPECT_EQ(words_of_state.to_host(), first);
  poison_scratch(2);
  EXPECT_NE(forgotten.to_host(), first);
  for (unsigned run = 0; run < 100; ++run) {
    poison_scratch(run);
    EXPECT_GT(forgotten.to_host()[1], 1'000'000'000);
  }
}

TEST(buffer, of_another_thread_is_left_alone) {
  buffer<int> memory(1);
  memory.copy_from(words{7});
  std::thread([] { poison_scratch(0); }).join();
  EXPECT_EQ(memory.to_host(), words{7});
}

}  // namespace
}  // namespace finesync::test
