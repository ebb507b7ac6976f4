// Which locks a thread held: known for its last steps, and never told wrong.
#include <simt/races/held_locks.hpp>

#include <gtest/gtest.h>

namespace simt {
namespace {

using locks = std::vector<const void*>;

TEST(held_locks, are_known_between_steps) {
  const int a = 0, b = 0;
  held_locks own;
  own.note(&a, 2, true);
  own.note(&b, 4, true);
  own.note(&a, 6, false);
  own.note(nullptr, 8, false);
  EXPECT_EQ(own.at(1), locks{});
  EXPECT_EQ(own.at(2), locks{&a});
  EXPECT_EQ(own.at(5), (locks{&a, &b}));
  EXPECT_EQ(own.at(7), locks{&b});
  EXPECT_EQ(own.at(9), locks{});
}

TEST(held_locks, of_long_ago_are_forgotten_but_not_those_still_held) {
  const int kept = 0, often = 0;
  held_locks own;
  own.note(&kept, 1, true);
  epoch now = 1;
  for (std::size_t i = 0; i < 2 * held_locks::most_steps; ++i) {
    own.note(&often, ++now, true);
    own.note(&often, ++now, false);
  }
  EXPECT_EQ(own.at(2), std::nullopt);
  EXPECT_EQ(own.at(now), locks{&kept});
  EXPECT_EQ(own.at(now - 1), (locks{&kept, &often}));
}

}  // namespace
}  // namespace simt
