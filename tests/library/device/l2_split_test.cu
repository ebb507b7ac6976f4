// The sides of the L2 in made-up tables of cycles.
#include <finesync/host/l2_split.cuh>

#include <tests/library/harness/harness.hpp>

#include <random>

namespace finesync::test {
namespace {

constexpr unsigned sms = 30;
constexpr unsigned lines = 60;

/// SMs and lines of the same parity are near. Some SMs, and some lines, are far from everything.
std::vector<std::uint32_t> table(double near, double far, double noise) {
  std::mt19937 random(1);
  std::normal_distribution<> error(0, noise);
  std::vector<std::uint32_t> cycles;
  for (unsigned sm = 0; sm < sms; ++sm)
    for (unsigned line = 0; line < lines; ++line)
      cycles.push_back(static_cast<std::uint32_t>((sm % 2 == line % 2 ? near : far) + 5 * (sm % 7) +
                                                  3 * (line % 5) + error(random)));
  return cycles;
}

const std::vector<std::uint32_t> clear = table(396, 556, 12);    // an H200's fences
const std::vector<std::uint32_t> blurred = table(272, 296, 10);  // its loads
const std::vector<std::uint32_t> flat = table(640, 640, 4);      // an H100's fences

l2_map map_by(l2_distance by, const std::vector<std::uint32_t>& cycles) {
  std::vector<std::uint32_t> duration;
  for (unsigned line = 0; line < lines; ++line) duration.push_back(line * 7 % lines);
  return map_of(by, l2_split(cycles, sms, lines), duration);
}

/// Whether near SMs and lines are on one side.
bool is_right(const l2_map& map) {
  for (unsigned sm = 0; sm < sms; ++sm)
    if (map.side_of_sm[sm] != (map.side_of_sm[0] + sm) % 2) return false;
  for (unsigned side = 0; side < 2; ++side)
    for (const std::uint32_t line : map.lines_of[side])
      if ((map.side_of_sm[0] + line) % 2 != side) return false;
  return true;
}

TEST(l2_split, finds_two_sides) {
  for (const auto& cycles : {clear, blurred}) {
    const l2_map map = map_by(l2_distance::fence, cycles);
    EXPECT_TRUE(map.has_sides());
    EXPECT_TRUE(is_right(map));
    EXPECT_EQ(map.lines_of[0].size(), lines * 45 / 100);
    EXPECT_EQ(map.lines_of[1].size(), lines * 45 / 100);
  }
}

TEST(l2_split, tells_how_much_it_explains) {
  EXPECT_GT(l2_split(clear, sms, lines).explained, 0.95);
  const double of_blurred = l2_split(blurred, sms, lines).explained;
  EXPECT_GT(of_blurred, 0.4);
  EXPECT_LT(of_blurred, 0.8);
  EXPECT_EQ(l2_split(table(300, 300, 0), sms, lines).explained, 0.0);
}

TEST(l2_split, of_noise_is_none) {
  const l2_map map = map_by(l2_distance::fence, flat);
  EXPECT_GT(map.explained, 0.0) << "the best split of noise explains some of it";
  EXPECT_FALSE(map.has_sides());
  for (unsigned sm = 0; sm < sms; ++sm) EXPECT_EQ(map.side_of_sm[sm], sm % 2);
  EXPECT_EQ(map.lines_of[0].size(), map.lines_of[1].size());
}

// SMs are timed a few at a time, so what disturbs the GPU meanwhile is common to those few.
TEST(l2_split, of_few_sms_that_were_disturbed_together_is_none) {
  std::vector<std::uint32_t> disturbed = flat;
  for (unsigned sm = 0; sm < 5; ++sm)
    for (unsigned line = 0; line < lines; ++line)
      disturbed[sm * lines + line] += line / 3 % 2 == 0 ? 24 : 0;
  const l2_split split(disturbed, sms, lines);
  EXPECT_GT(split.explained, 0.3) << "more than what is asked of sides";
  EXPECT_FALSE(map_by(l2_distance::fence, disturbed).has_sides());
}

TEST(l2_split, is_not_taken_in_by_one_late_measurement) {
  std::vector<std::uint32_t> disturbed = flat;
  disturbed[7 * lines + 9] = 20'000;
  EXPECT_FALSE(map_by(l2_distance::fence, disturbed).has_sides());
}

TEST(l2_split, has_the_fastest_lines_first) {
  const l2_map map = map_by(l2_distance::fence, clear);
  for (const auto& side : map.lines_of)
    for (std::size_t i = 1; i < side.size(); ++i)
      EXPECT_LE(side[i - 1] * 7 % lines, side[i] * 7 % lines);
}

TEST(l2_map, that_explains_more_is_preferred) {
  const l2_map fences = map_by(l2_distance::fence, clear);
  const l2_map loads = map_by(l2_distance::load, blurred);
  const l2_map flat_fences = map_by(l2_distance::fence, flat);
  const l2_map flat_loads = map_by(l2_distance::load, table(270, 270, 8));
  EXPECT_TRUE(explains_more(fences, loads));
  EXPECT_FALSE(explains_more(loads, fences));
  EXPECT_TRUE(explains_more(loads, flat_fences)) << "an H100";
  EXPECT_FALSE(explains_more(flat_fences, loads));
  EXPECT_FALSE(explains_more(flat_loads, flat_fences)) << "neither has sides";
  EXPECT_FALSE(explains_more(flat_fences, flat_loads));
  EXPECT_EQ(fences.shown_by(), "fences");
  EXPECT_EQ(loads.shown_by(), "loads");
  EXPECT_EQ(flat_loads.shown_by(), "none");
}

}  // namespace
}  // namespace finesync::test
