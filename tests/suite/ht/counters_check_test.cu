// The check of the counters must accept right ones and reject each kind of wrong ones.
#include <finesync/host/launch.cuh>
#include <finesync/host/peers.cuh>
#include <workloads/ht/counters.hpp>
#include <workloads/ht/table.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::ht {
namespace counters_check_test {
namespace {

constexpr problem what{.collision_factor = 32, .inserts = 100, .table_size = 16};

using counts = std::vector<std::uint32_t>;

counts right_counts() {
  counts right(what.table_size, 0);
  for (std::uint32_t i = 0; i < what.inserts; ++i) ++right[entry_of(what, i)];
  return right;
}

/// The n-th of the entries that have inserts.
std::uint32_t drawn_entry(unsigned n) {
  const counts right = right_counts();
  for (std::uint32_t entry = 0; entry < what.table_size; ++entry)
    if (right[entry] > 1 && n-- == 0) return entry;
  ADD_FAILURE() << "too few entries have inserts";
  return 0;
}

__global__ void write_counts(cell<std::uint32_t>* to, const std::uint32_t* from) {
  for (std::uint32_t entry = 0; entry < what.table_size; ++entry) to[entry] = from[entry];
}

/// Of counters with a part on each of several GPUs.
counters_check check(const std::vector<counts>& of_gpus) {
  const peers all(static_cast<unsigned>(of_gpus.size()));
  std::vector<counters> parts;
  for (const counts& own : of_gpus) {
    const stream& on = all.stream_of(static_cast<unsigned>(parts.size()));
    parts.emplace_back(what, on);
    launch_independent(on, write_counts, {1, 1}, parts.back().device_data(), own.data());
  }
  all.synchronize();
  std::vector<counts> counted;
  for (const counters& part : parts) counted.push_back(part.counted());
  return counters::check(what, counted, all.stream_of(0));
}

counts half_of(counts all, std::uint32_t parity) {
  for (std::uint32_t entry = 0; entry < what.table_size; ++entry)
    if (entry % 2 != parity) all[entry] = 0;
  return all;
}

TEST(counters_check, accepts_right_counters) {
  const counters_check found = check({right_counts()});
  EXPECT_TRUE(found.passed(what)) << found.describe(what);
}

TEST(counters_check, rejects_a_lost_insert) {
  counts lost = right_counts();
  --lost[drawn_entry(0)];
  EXPECT_FALSE(check({lost}).passed(what));
  EXPECT_EQ(check({lost}).describe(what),
            "99 of 100 counted, 1 entries with a wrong count, 0 counted on two GPUs");
}

TEST(counters_check, rejects_an_insert_in_the_counter_of_another_entry) {
  counts moved = right_counts();
  --moved[drawn_entry(0)];
  ++moved[drawn_entry(1)];
  EXPECT_EQ(check({moved}).counted, what.inserts);
  EXPECT_EQ(check({moved}).wrong, 2u);
  EXPECT_FALSE(check({moved}).passed(what));
}

TEST(counters_check, accepts_counters_on_two_gpus) {
  const counters_check found = check({half_of(right_counts(), 0), half_of(right_counts(), 1)});
  EXPECT_TRUE(found.passed(what)) << found.describe(what);
}

TEST(counters_check, rejects_an_entry_that_two_gpus_count) {
  counts first = right_counts();
  counts second(what.table_size, 0);
  --first[drawn_entry(0)];
  ++second[drawn_entry(0)];
  EXPECT_EQ(check({first, second}).wrong, 0u);
  EXPECT_EQ(check({first, second}).repeated, 1u);
  EXPECT_FALSE(check({first, second}).passed(what));
}

}  // namespace
}  // namespace counters_check_test
}  // namespace finesync::ht
