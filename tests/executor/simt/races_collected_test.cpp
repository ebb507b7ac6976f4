// A launch that goes on after its races: each pair of places is reported once, and all else is as
// ever.
#include "races.hpp"

#include <simt/arena.hpp>

#include <gmock/gmock.h>

namespace simt_test::races_collected_test {
namespace {

using testing::HasSubstr;

using enum memory_order;

struct outcome {
  std::vector<simt::fault> races;
  std::vector<std::uint32_t> words;
};

outcome collect(body what, unsigned blocks) {
  outcome found;
  simt::settings how;
  how.check = simt::checking::races;
  how.on_race = [&](const simt::fault& race) { found.races.push_back(race); };
  const simt::scoped_settings use(how);
  found.words = words_after(what, {.blocks = blocks, .threads_per_block = 1}, {8 * far})[0];
  return found;
}

// Two words without an order, each in a loop; and at the end an ordered count.
void twice_unordered(cell32* words) {
  for (int i = 0; i < 3; ++i) words[0] = 1;
  for (int i = 0; i < 3; ++i) words[far] = 2;
  device_ref(words[2 * far]).fetch_add(1, relaxed);
}

TEST(collected_races, are_told_once_per_pair_of_places_and_the_launch_ends) {
  const outcome found = collect(twice_unordered, 4);
  ASSERT_EQ(found.races.size(), 2u);
  for (const simt::fault& race : found.races) {
    EXPECT_THAT(race.missing, HasSubstr("missing: atomic accesses in place of both"));
    EXPECT_THAT(places_of(race)[0], HasSubstr("races_collected_test.cpp:"));
    EXPECT_EQ(places_of(race)[0], places_of(race)[1]);
  }
  EXPECT_NE(places_of(found.races[0]), places_of(found.races[1]));
  EXPECT_EQ(found.words[2 * far], 4u);
}

// The third block's store races with both loads. The first race must not hide the second.
void read_at_two_places(cell32* words) {
  if (blockIdx.x == 0) static_cast<void>(words[0] + 0u);
  if (blockIdx.x == 1) static_cast<void>(words[0] + 0u);
  if (blockIdx.x == 2) words[0] = 3;
}

TEST(collected_races, of_one_access_with_several_are_all_told) {
  EXPECT_EQ(collect(read_at_two_places, 3).races.size(), 2u);
}

void in_order(cell32* words) {
  device_ref(words[0]).fetch_add(1, acq_rel);
}

TEST(collected_races, are_none_in_a_sound_kernel) {
  EXPECT_TRUE(collect(in_order, 4).races.empty());
}

TEST(collected_races, do_not_hide_that_a_launch_cannot_end) {
  std::size_t races = 0;
  simt::settings how;
  how.check = simt::checking::races;
  how.on_race = [&](const simt::fault&) { ++races; };
  const simt::scoped_settings use(how);
  const auto waits_after_a_race = [](cell32* words) {
    words[0] = 1;
    await<scope::device>(words[far], relaxed);
  };
  const ending end =
      ending_of(+waits_after_a_race, {.blocks = 2, .threads_per_block = 1}, {8 * far});
  EXPECT_THAT(end.report, HasSubstr("livelock"));
  EXPECT_EQ(races, 1u);
}

// An owner may say what its allocation is.
TEST(allocations, are_called_what_their_owner_says) {
  simt::arena& memory = simt::global_memory();
  simt::label what;
  what.called = "2nd cudaMalloc";
  void* const at = memory.allocate(4096, what);
  auto* const bytes = static_cast<std::byte*>(at);
  EXPECT_EQ(memory.place(bytes + 16), "2nd cudaMalloc, byte 16 of 4096");
  EXPECT_EQ(memory.neighbourhood(bytes + 4100),
            "4 bytes past the end of 2nd cudaMalloc (4096 bytes)");
  memory.release(at);
}

}  // namespace
}  // namespace simt_test::races_collected_test
